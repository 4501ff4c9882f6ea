// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The weather of one day.
///
/// Values that the provider did not send are `nil`.
public struct DayWeather: Equatable, Hashable, Codable, Sendable {
  /// The date at the place.
  public var date: UTCDate
  /// The end of the day, which is midnight at the place; `nil` if it is unknown.
  public var endsAt: UTCTime?
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

  /// Whether the day has ended at a place.
  ///
  /// Without ``endsAt``, the mean solar time of the place determines the date.
  ///
  /// - Parameters:
  ///   - time: The current time.
  ///   - coordinate: The coordinate of the report.
  /// - Returns: `true` if the day is before today.
  package func hasEnded(at time: UTCTime, _ coordinate: Coordinate) -> Bool {
    if let endsAt { return endsAt <= time }
    let solarSeconds = Int64(coordinate.longitudeDegrees * 240)
    return date < UTCTime(secondsSince1970: time.secondsSince1970 &+ solarSeconds).date
  }
}
