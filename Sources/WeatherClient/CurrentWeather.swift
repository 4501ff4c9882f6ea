// SPDX-License-Identifier: Apache-2.0

/// The weather at one moment; what the provider did not say is `nil`.
public struct CurrentWeather: Equatable, Hashable, Codable, Sendable {
  /// Air temperature in degrees Celsius, 2 m above ground.
  public var temperatureDegreesCelsius: Double?
  /// What it feels like, in degrees Celsius.
  public var apparentTemperatureDegreesCelsius: Double?
  /// The temperature at which dew would form, in degrees Celsius.
  public var dewPointDegreesCelsius: Double?
  /// Relative humidity, 0 to 100.
  public var humidityPercent: Double?
  /// Air pressure in hectopascals, reduced to sea level.
  public var pressureSeaLevelHectopascals: Double?
  /// Wind speed in metres per second, 10 m above ground.
  public var windSpeedMetersPerSecond: Double?
  /// Speed of gusts in metres per second, 10 m above ground.
  public var windGustMetersPerSecond: Double?
  /// Where the wind comes from, in degrees from true north.
  public var windDirectionDegreesTrue: Double?
  /// Precipitation in millimetres over the interval that these values are for.
  public var precipitationMillimeters: Double?
  /// Cloud cover, 0 to 100.
  public var cloudCoverPercent: Double?
  /// How far one can see, in metres.
  public var visibilityMeters: Double?
  /// Temperature of the water in degrees Celsius, as a sensor on a boat measures it.
  public var waterTemperatureDegreesCelsius: Double?
  /// What the sky does.
  public var condition: WeatherCondition?

  /// Makes a moment of which nothing is known.
  public init() {}
}
