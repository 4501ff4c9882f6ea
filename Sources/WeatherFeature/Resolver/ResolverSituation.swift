// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

/// What there is to answer from at a moment; what is not known is `nil`.
public struct ResolverSituation: Equatable, Sendable {
  /// What time it is; `nil` on a board without a battery before its first fix.
  public var time: UTCTime?
  /// The present reading of the clock that never jumps.
  public var now: MonotonicTime
  /// Where the board is.
  public var coordinate: Coordinate?
  /// Its height in metres above mean sea level.
  public var altitudeMetersAboveSeaLevel: Double?
  /// How far off that may be.
  public var altitudeAccuracy: Accuracy?
  /// The last report of a provider.
  public var report: WeatherReport?
  /// The last forecast.
  public var forecast: StoredForecast?
  /// What the board's own sensors said last.
  public var sensor: SensorReading?

  /// Makes a situation in which only the clock is known.
  ///
  /// - Parameter now: The present reading of the clock that never jumps.
  public init(now: MonotonicTime) { self.now = now }
}
