// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The weather of one day; what the provider did not say is `nil`.
public struct DayWeather: Equatable, Hashable, Codable, Sendable {
  /// Which day, at the place.
  public var date: UTCDate
  /// Lowest air temperature in degrees Celsius.
  public var lowestTemperatureDegreesCelsius: Double?
  /// Highest air temperature in degrees Celsius.
  public var highestTemperatureDegreesCelsius: Double?
  /// Precipitation in millimetres over the day.
  public var precipitationMillimeters: Double?
  /// How probable precipitation is, 0 to 100.
  public var precipitationProbabilityPercent: Double?
  /// Highest wind speed in metres per second, 10 m above ground.
  public var highestWindSpeedMetersPerSecond: Double?
  /// What the sky mostly does.
  public var condition: WeatherCondition?
  /// When the sun rises; `nil` where it does not, or the provider does not say.
  public var sunrise: UTCTime?
  /// When the sun sets; `nil` where it does not, or the provider does not say.
  public var sunset: UTCTime?

  /// Makes a day of which nothing is known.
  public init(date: UTCDate) { self.date = date }
}
