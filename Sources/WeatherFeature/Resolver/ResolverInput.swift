// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

/// The input of ``WeatherResolver``.
///
/// Unknown values are `nil`.
public struct ResolverInput: Equatable, Sendable {
  /// The current time, or `nil` before the first fix of a board without a clock battery.
  public var time: UTCTime?
  /// The current monotonic time.
  public var now: MonotonicTime
  /// The location of the board.
  public var coordinate: Coordinate?
  /// The height of the board in metres above mean sea level.
  public var altitudeMetersAboveSeaLevel: Double?
  /// The accuracy of the height.
  public var altitudeAccuracy: Accuracy?
  /// The last report of a provider.
  public var report: WeatherReport?
  /// The last forecast.
  public var forecast: StoredForecast?
  /// The last reading of sensors and instruments.
  public var sensor: SensorReading?

  /// Creates an input in which only the monotonic time is known.
  public init(now: MonotonicTime) { self.now = now }
}
