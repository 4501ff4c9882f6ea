// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The weather of one step of a forecast, usually one hour.
///
/// Condition, precipitation and gusts are for the whole step; all other values are for its start.
public struct HourWeather: Equatable, Hashable, Codable, Sendable {
  /// The start of the step.
  public var time: UTCTime
  /// The duration in seconds, or 0 if all values are for the start of the step.
  public var durationSeconds: Int
  /// The weather.
  public var weather: CurrentWeather
  /// The probability of precipitation, 0 to 100.
  public var precipitationProbabilityPercent: Double?

  /// Creates a step without values.
  public init(time: UTCTime, durationSeconds: Int = 3600) {
    self.time = time
    self.durationSeconds = durationSeconds
    weather = CurrentWeather()
  }
}
