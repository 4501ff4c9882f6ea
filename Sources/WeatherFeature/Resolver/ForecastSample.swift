// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning
public import WeatherClient

/// One step of a stored forecast.
public struct ForecastSample: Equatable, Hashable, Sendable {
  /// When it begins.
  public var time: UTCTime
  /// How long its condition and precipitation are for, in seconds; 0 where it has none.
  public var durationSeconds: Int
  /// The weather: temperature, humidity, pressure, wind and clouds at the beginning, condition and
  /// precipitation of the whole step.
  public var weather: CurrentWeather

  /// Makes a sample.
  ///
  /// - Parameters:
  ///   - time: When it begins.
  ///   - durationSeconds: How long its condition and precipitation are for.
  ///   - weather: The weather.
  public init(time: UTCTime, durationSeconds: Int = 3600, weather: CurrentWeather) {
    self.time = time
    self.durationSeconds = durationSeconds
    self.weather = weather
  }

  /// The weather between this sample and a later one.
  ///
  /// What is smooth is interpolated where both samples know it: temperature, humidity, pressure and
  /// clouds linearly, wind as a vector, so that from north-west to north-east it turns through north
  /// and not through south. What is not smooth stays as it is for as long as the sample is for:
  /// the condition, and precipitation in millimetres an hour.
  ///
  /// - Parameters:
  ///   - next: The later sample.
  ///   - seconds: How far after this one, 0 to the seconds between both.
  ///   - span: The seconds between both.
  /// - Returns: The weather.
  func weather(until next: ForecastSample, after seconds: Double, of span: Double)
    -> CurrentWeather
  {
    let part = span > 0 ? min(max(seconds / span, 0), 1) : 0
    let (from, to) = (weather, next.weather)
    func between(_ field: KeyPath<CurrentWeather, Double?>) -> Double? {
      Self.between(from[keyPath: field], to[keyPath: field], part)
    }
    var result = CurrentWeather()
    result.temperatureDegreesCelsius = between(\.temperatureDegreesCelsius)
    result.apparentTemperatureDegreesCelsius = between(\.apparentTemperatureDegreesCelsius)
    result.humidityPercent = between(\.humidityPercent)
    result.pressureSeaLevelHectopascals = between(\.pressureSeaLevelHectopascals)
    result.cloudCoverPercent = between(\.cloudCoverPercent)
    result.dewPointDegreesCelsius = between(\.dewPointDegreesCelsius)
    result.visibilityMeters = between(\.visibilityMeters)
    result.windGustMetersPerSecond = between(\.windGustMetersPerSecond)
    if part == 0 {
      result.windSpeedMetersPerSecond = from.windSpeedMetersPerSecond
      result.windDirectionDegreesTrue = from.windDirectionDegreesTrue
    } else if let wind = WindVector(from), let later = WindVector(to) {
      let wind = wind.between(later, part: part)
      result.windSpeedMetersPerSecond = wind.speedMetersPerSecond
      result.windDirectionDegreesTrue = wind.directionDegreesTrue
    } else {
      result.windSpeedMetersPerSecond = between(\.windSpeedMetersPerSecond)
    }
    if seconds < Double(durationSeconds) {
      result.condition = from.condition
      result.precipitationMillimeters = from.precipitationMillimeters
        .map { $0 * 3600 / Double(durationSeconds) }
    }
    return result
  }

  /// The value at a part of the way from one to another, never beyond either.
  private static func between(_ from: Double?, _ to: Double?, _ part: Double) -> Double? {
    guard let from else { return nil }
    if part == 0 { return from }
    guard let to else { return nil }
    return min(max(from + (to - from) * part, min(from, to)), max(from, to))
  }
}

/// Wind as a vector, in metres per second.
struct WindVector {
  private let north: Double
  private let east: Double

  /// The wind of a moment; `nil` where speed or direction is unknown.
  ///
  /// Calm needs no direction.
  init?(_ weather: CurrentWeather) {
    guard let speed = weather.windSpeedMetersPerSecond else { return nil }
    guard speed != 0 else {
      (north, east) = (0, 0)
      return
    }
    guard let direction = weather.windDirectionDegreesTrue else { return nil }
    north = speed * cos(direction.radians)
    east = speed * sin(direction.radians)
  }

  private init(north: Double, east: Double) {
    self.north = north
    self.east = east
  }

  /// The vector at a part of the way to another.
  func between(_ other: WindVector, part: Double) -> WindVector {
    WindVector(
      north: north + (other.north - north) * part, east: east + (other.east - east) * part)
  }

  var speedMetersPerSecond: Double { (north * north + east * east).squareRoot() }

  /// Where it comes from, 0 to below 360; `nil` in a calm.
  var directionDegreesTrue: Double? {
    speedMetersPerSecond < 0.005 ? nil : atan2(east, north).degrees.turned
  }
}
