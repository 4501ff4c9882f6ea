// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning
public import WeatherClient

/// One step of a stored forecast.
public struct ForecastSample: Equatable, Hashable, Sendable {
  /// The start of the step.
  public var time: UTCTime
  /// The duration of the condition and the precipitation in seconds; 0 if the step has neither.
  public var durationSeconds: Int
  /// The weather.
  ///
  /// Condition and precipitation are for the whole step; all other values are for its start.
  public var weather: CurrentWeather

  /// Creates a sample.
  public init(time: UTCTime, durationSeconds: Int = 3600, weather: CurrentWeather) {
    self.time = time
    self.durationSeconds = durationSeconds
    self.weather = weather
  }

  /// Returns the weather at a time between this sample and a later sample.
  ///
  /// Temperature, humidity, pressure, clouds, visibility and gusts are interpolated linearly if
  /// both samples have a value. Wind is interpolated as a vector: from north-west to north-east,
  /// the wind turns through north. Condition and precipitation in millimetres per hour are constant
  /// for the duration of this sample.
  ///
  /// - Parameters:
  ///   - next: The later sample.
  ///   - seconds: The seconds since this sample, 0 to `span`.
  ///   - span: The seconds between the two samples.
  /// - Returns: The weather.
  func weather(until next: ForecastSample, after seconds: Double, of span: Double)
    -> CurrentWeather
  {
    let fraction = span > 0 ? min(max(seconds / span, 0), 1) : 0
    let (from, to) = (weather, next.weather)
    func between(_ field: KeyPath<CurrentWeather, Double?>) -> Double? {
      Self.between(from[keyPath: field], to[keyPath: field], fraction)
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
    if fraction == 0 {
      result.windSpeedMetersPerSecond = from.windSpeedMetersPerSecond
      result.windDirectionDegreesTrue = from.windDirectionDegreesTrue
    } else if let wind = WindVector(from), let later = WindVector(to) {
      let wind = wind.between(later, fraction: fraction)
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

  /// Interpolates linearly, and clamps the result to the range between the two values.
  private static func between(_ from: Double?, _ to: Double?, _ fraction: Double) -> Double? {
    guard let from else { return nil }
    if fraction == 0 { return from }
    guard let to else { return nil }
    return min(max(from + (to - from) * fraction, min(from, to)), max(from, to))
  }
}

/// Wind as a vector, in metres per second.
struct WindVector {
  private let north: Double
  private let east: Double

  /// Creates a vector, or returns `nil` if speed or direction is unknown.
  ///
  /// If the speed is 0, no direction is necessary.
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

  /// Interpolates linearly to another vector.
  func between(_ other: WindVector, fraction: Double) -> WindVector {
    WindVector(
      north: north + (other.north - north) * fraction, east: east + (other.east - east) * fraction)
  }

  var speedMetersPerSecond: Double { (north * north + east * east).squareRoot() }

  /// The direction from which the wind blows, 0 to below 360, or `nil` below 0.005 m/s.
  var directionDegreesTrue: Double? {
    speedMetersPerSecond < 0.005 ? nil : atan2(east, north).degrees.normalizedDegrees
  }
}
