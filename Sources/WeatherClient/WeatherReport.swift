// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The answer of a weather lookup, by the name that the founding articles gave it.
public typealias WeatherResponse = WeatherReport

/// The weather at one place: now and the days to come, with where it comes from and since when.
public struct WeatherReport: Equatable, Hashable, Sendable {
  /// How the values came about.
  public enum Kind: String, Hashable, Sendable {
    /// Measured.
    case observed
    /// Computed by a weather model.
    case forecast
    /// Interpolated from a stored forecast.
    case interpolated
    /// Measured by the board itself.
    case sensor
  }

  /// The coordinate that was asked for, as coarse as it was sent.
  public var coordinate: Coordinate
  /// The weather now.
  public var now: CurrentWeather
  /// Today and the days after it.
  public var days: [DayWeather]
  /// How the values came about.
  public var kind: Kind
  /// Who answered, in one word: `openmeteo`.
  public var provider: String
  /// Whom the licence wants named, in words for people.
  public var attribution: String?
  /// When the values for now were true, by the provider.
  public var validAt: UTCTime?
  /// When the provider computed or measured them, where it says so.
  public var issuedAt: UTCTime?
  /// When the answer arrived.
  public var receivedAt: MonotonicTime?
  /// Whether it is the product of a simulation.
  public var isSimulated: Bool

  /// Makes a report in which no value is known.
  ///
  /// - Parameters:
  ///   - coordinate: The coordinate that was asked for.
  ///   - provider: Who answered.
  ///   - kind: How the values came about.
  public init(coordinate: Coordinate, provider: String, kind: Kind) {
    self.coordinate = coordinate
    self.provider = provider
    self.kind = kind
    now = CurrentWeather()
    days = []
    isSimulated = false
  }
}

/// The weather at one moment; what the provider did not say is `nil`.
public struct CurrentWeather: Equatable, Hashable, Sendable {
  /// Air temperature in degrees Celsius, 2 m above ground.
  public var temperatureDegreesCelsius: Double?
  /// What it feels like, in degrees Celsius.
  public var apparentTemperatureDegreesCelsius: Double?
  /// Relative humidity, 0 to 100.
  public var humidityPercent: Double?
  /// Air pressure in hectopascals, reduced to sea level.
  public var pressureSeaLevelHectopascals: Double?
  /// Wind speed in metres per second, 10 m above ground.
  public var windSpeedMetersPerSecond: Double?
  /// Where the wind comes from, in degrees from true north.
  public var windDirectionDegreesTrue: Double?
  /// Precipitation in millimetres over the provider's last interval.
  public var precipitationMillimeters: Double?
  /// Cloud cover, 0 to 100.
  public var cloudCoverPercent: Double?
  /// What the sky does.
  public var condition: WeatherCondition?

  /// Makes a moment of which nothing is known.
  public init() {}
}

/// The weather of one day; what the provider did not say is `nil`.
public struct DayWeather: Equatable, Hashable, Sendable {
  /// Which day, at the place.
  public var date: UTCDate
  /// Lowest air temperature in degrees Celsius.
  public var lowestTemperatureDegreesCelsius: Double?
  /// Highest air temperature in degrees Celsius.
  public var highestTemperatureDegreesCelsius: Double?
  /// Precipitation in millimetres over the day.
  public var precipitationMillimeters: Double?
  /// What the sky mostly does.
  public var condition: WeatherCondition?
  /// When the sun rises; `nil` where it does not.
  public var sunrise: UTCTime?
  /// When the sun sets; `nil` where it does not.
  public var sunset: UTCTime?

  /// Makes a day of which nothing is known.
  ///
  /// - Parameter date: Which day.
  public init(date: UTCDate) { self.date = date }
}
