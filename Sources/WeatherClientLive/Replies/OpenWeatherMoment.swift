// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// The weather of a moment in OpenWeatherMap's 2.5, in kelvin and metres per second.
struct OpenWeatherMoment: Decodable {
  struct Main: Decodable {
    var temp: Double?
    var feelsLike: Double?
    var pressure: Double?
    var seaLevel: Double?
    var groundLevel: Double?
    var humidity: Double?

    enum CodingKeys: String, CodingKey {
      case temp, pressure, humidity
      case feelsLike = "feels_like"
      case seaLevel = "sea_level"
      case groundLevel = "grnd_level"
    }

    /// What stands for itself is reduced to sea level, unless it is the ground's.
    var pressureSeaLevel: Double? { seaLevel ?? (pressure == groundLevel ? nil : pressure) }
  }

  struct Wind: Decodable {
    var speed: Double?
    var gust: Double?
    var deg: Double?
  }

  struct Clouds: Decodable { var all: Double? }

  /// Millimetres over the last hour or three.
  struct Amount: Decodable {
    var oneHour: Double?
    var threeHours: Double?

    enum CodingKeys: String, CodingKey {
      case oneHour = "1h"
      case threeHours = "3h"
    }
  }

  struct Sun: Decodable {
    var sunrise: Double?
    var sunset: Double?
  }

  var dt: Double?
  var main: Main?
  var weather: [OpenWeatherCode?]?
  var wind: Wind?
  var clouds: Clouds?
  var rain: Amount?
  var snow: Amount?
  var visibility: Double?
  var pop: Double?
  var sys: Sun?

  /// Rain and snow over three hours; `nil` where neither is told of.
  var threeHoursMillimeters: Double? {
    let known = [rain?.threeHours, snow?.threeHours].compactMap { $0 }
    return known.isEmpty ? nil : known.reduce(0, +)
  }

  func fill(_ blank: WeatherReport) throws(WeatherError) -> WeatherReport {
    guard dt != nil || main != nil else {
      throw .malformed(field: "body", reason: "has neither dt nor main")
    }
    var report = blank
    report.now = try current()
    let amounts = [rain?.oneHour, snow?.oneHour].compactMap { $0 }
    report.now.precipitationMillimeters = amounts.isEmpty ? nil : amounts.reduce(0, +)
    report.validAt = ProviderTime.unix(dt)
    report.issuedAt = report.validAt
    return report
  }

  /// All but the precipitation, whose interval depends on where this stands.
  func current() throws(WeatherError) -> CurrentWeather {
    var current = CurrentWeather()
    current.temperatureDegreesCelsius = try ProviderUnit.celsius(main?.temp, "K", "main.temp")
    current.apparentTemperatureDegreesCelsius = try ProviderUnit.celsius(
      main?.feelsLike, "K", "main.feels_like")
    current.humidityPercent = main?.humidity
    current.pressureSeaLevelHectopascals = main?.pressureSeaLevel
    current.windSpeedMetersPerSecond = wind?.speed
    current.windGustMetersPerSecond = wind?.gust
    current.windDirectionDegreesTrue = wind?.deg
    current.cloudCoverPercent = clouds?.all
    current.visibilityMeters = visibility
    current.condition = OpenWeatherCode.condition(weather)
    return current
  }
}
