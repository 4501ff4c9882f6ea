// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The weather of one step of a forecast; mostly an hour.
///
/// Temperature, pressure, wind and the like are those at its beginning; condition, precipitation
/// and gusts are of the whole step.
public struct HourWeather: Equatable, Hashable, Codable, Sendable {
  /// When it begins.
  public var time: UTCTime
  /// How long it lasts, in seconds; 0 where only its beginning is known.
  public var durationSeconds: Int
  /// The weather.
  public var weather: CurrentWeather
  /// How probable precipitation is, 0 to 100.
  public var precipitationProbabilityPercent: Double?

  /// Makes a step of which nothing is known.
  public init(time: UTCTime, durationSeconds: Int = 3600) {
    self.time = time
    self.durationSeconds = durationSeconds
    weather = CurrentWeather()
  }
}
