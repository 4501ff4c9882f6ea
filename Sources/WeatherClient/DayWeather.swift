// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The weather of one day.
///
/// Values that the provider did not send are `nil`.
public struct DayWeather: Equatable, Hashable, Codable, Sendable {
  /// The local date.
  public var date: UTCDate
  /// Lowest air temperature in degrees Celsius.
  public var lowestTemperatureDegreesCelsius: Double?
  /// Highest air temperature in degrees Celsius.
  public var highestTemperatureDegreesCelsius: Double?
  /// Precipitation in millimetres over the day.
  public var precipitationMillimeters: Double?
  /// The probability of precipitation, 0 to 100.
  public var precipitationProbabilityPercent: Double?
  /// Highest wind speed in metres per second, 10 m above ground.
  public var highestWindSpeedMetersPerSecond: Double?
  /// The predominant condition.
  public var condition: WeatherCondition?
  /// The time of sunrise, or `nil` if the sun does not rise or the provider sends no time.
  public var sunrise: UTCTime?
  /// The time of sunset, or `nil` if the sun does not set or the provider sends no time.
  public var sunset: UTCTime?

  /// Creates a day in which every property except the date is `nil`.
  public init(date: UTCDate) { self.date = date }
}
