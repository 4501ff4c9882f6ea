// SPDX-License-Identifier: Apache-2.0

/// The weather at one moment.
///
/// Values that the provider did not send are `nil`.
public struct CurrentWeather: Equatable, Hashable, Codable, Sendable {
  /// Air temperature in degrees Celsius, 2 m above ground.
  public var temperatureDegreesCelsius: Double?
  /// Apparent ("feels like") temperature in degrees Celsius.
  public var apparentTemperatureDegreesCelsius: Double?
  /// Dew point in degrees Celsius.
  public var dewPointDegreesCelsius: Double?
  /// Relative humidity, 0 to 100.
  public var humidityPercent: Double?
  /// Air pressure in hectopascals, reduced to sea level.
  public var pressureSeaLevelHectopascals: Double?
  /// Wind speed in metres per second, 10 m above ground.
  public var windSpeedMetersPerSecond: Double?
  /// Speed of gusts in metres per second, 10 m above ground.
  public var windGustMetersPerSecond: Double?
  /// Direction from which the wind blows, in degrees from true north.
  public var windDirectionDegreesTrue: Double?
  /// Precipitation in millimetres during the interval that these values describe.
  public var precipitationMillimeters: Double?
  /// Cloud cover, 0 to 100.
  public var cloudCoverPercent: Double?
  /// Visibility in metres.
  public var visibilityMeters: Double?
  /// Water temperature in degrees Celsius, for example from a sensor on a boat.
  public var waterTemperatureDegreesCelsius: Double?
  /// The weather condition, such as rain.
  public var condition: WeatherCondition?

  /// Creates a value in which every property is `nil`.
  public init() {}
}
