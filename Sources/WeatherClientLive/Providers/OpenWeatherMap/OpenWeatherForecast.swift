// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// A reply of `/forecast`: five days in steps of three hours.
struct OpenWeatherForecast: Decodable {
  struct City: Decodable {
    /// The offset of the local time from UTC in seconds.
    var timezone: Double?
  }

  var list: [OpenWeatherMoment?]
  var city: City?

  private static let stepSeconds = 10_800

  func fill(
    _ report: WeatherReport, sun: OpenWeatherMoment.Sun?
  ) throws(WeatherError) -> WeatherReport {
    var report = report
    // A complete forecast has 40 steps.
    let steps = list.prefix(100).compactMap { $0 }
    for (index, step) in steps.enumerated() {
      guard let time = ProviderTime.unix(step.dt) else { continue }
      var hour = HourWeather(time: time, durationSeconds: Self.stepSeconds)
      hour.weather = try step.current()
      // Precipitation is for the three hours before the given time.
      if index + 1 < steps.count, let next = ProviderTime.unix(steps[index + 1].dt),
        next.secondsSince1970 - time.secondsSince1970 == Int64(Self.stepSeconds)
      {
        hour.weather.precipitationMillimeters = steps[index + 1].threeHoursMillimeters
        hour.precipitationProbabilityPercent = steps[index + 1].pop.map { $0 * 100 }
      }
      report.hours.append(hour)
    }
    guard report.hours.contains(where: { $0.weather != CurrentWeather() }) else {
      throw .malformed(field: "list", reason: "has no value")
    }
    let zone = PlaceZone(offsetSeconds: city?.timezone)
      .zone(at: report.coordinate, report.validAt ?? report.hours.first?.time)
    report.setDays(in: zone)
    if let sunrise = ProviderTime.unix(sun?.sunrise), let sunset = ProviderTime.unix(sun?.sunset) {
      let date = zone.local(sunrise).date
      if let index = report.days.firstIndex(where: { $0.date == date }) {
        report.days[index].sunrise = sunrise
        report.days[index].sunset = sunset
      }
    }
    return report
  }
}

/// The values of a moment in version 2.5 of the API, in kelvin and metres per second.
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

    /// The pressure at sea level, or `nil` if unknown.
    ///
    /// Without `sea_level`, `pressure` is used unless it equals the pressure at ground level.
    var pressureSeaLevel: Double? { seaLevel ?? (pressure == groundLevel ? nil : pressure) }
  }

  struct Wind: Decodable {
    var speed: Double?
    var gust: Double?
    var deg: Double?
  }

  struct Clouds: Decodable { var all: Double? }

  /// Amounts in millimetres over the last hour or the last three hours.
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

  /// The Unix time in seconds.
  var dt: Double?
  var main: Main?
  var weather: [OpenWeatherCode?]?
  var wind: Wind?
  var clouds: Clouds?
  var rain: Amount?
  var snow: Amount?
  var visibility: Double?
  /// The probability of precipitation, 0 to 1.
  var pop: Double?
  var sys: Sun?

  /// The sum of rain and snow over three hours, or `nil` if the reply has neither.
  var threeHoursMillimeters: Double? {
    let amounts = [rain?.threeHours, snow?.threeHours].compactMap { $0 }
    return amounts.isEmpty ? nil : amounts.reduce(0, +)
  }

  func fill(_ blank: WeatherReport) throws(WeatherError) -> WeatherReport {
    guard dt != nil || main != nil else {
      throw .malformed(field: "reply", reason: "has neither dt nor main")
    }
    var report = blank
    report.now = try current()
    let amounts = [rain?.oneHour, snow?.oneHour].compactMap { $0 }
    report.now.precipitationMillimeters = amounts.isEmpty ? nil : amounts.reduce(0, +)
    report.validAt = ProviderTime.unix(dt)
    report.issuedAt = report.validAt
    return report
  }

  /// Converts everything except precipitation, whose interval depends on the request.
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

/// A weather condition code of OpenWeatherMap.
struct OpenWeatherCode: Decodable {
  var id: Double?

  /// Returns the condition for the first code, which is the primary condition.
  static func condition(_ codes: [OpenWeatherCode?]?) -> WeatherCondition? {
    let first = codes?.lazy.compactMap { $0?.id }.first
    return first.flatMap(Int.init(exactly:)).flatMap { $0 < 0 ? nil : condition($0) }
  }

  static func condition(_ code: Int) -> WeatherCondition {
    switch code {
    case 200...232: .thunderstorm
    case 300, 310: .lightDrizzle
    case 301, 311, 313, 321: .drizzle
    case 302, 312, 314: .heavyDrizzle
    case 500: .lightRain
    case 501: .rain
    case 502, 503, 504: .heavyRain
    case 511: .freezingRain
    case 520: .lightRainShowers
    case 521, 531: .rainShowers
    case 522: .heavyRainShowers
    case 600: .lightSnow
    case 601: .snow
    case 602: .heavySnow
    case 611, 615, 616: .sleet
    case 612, 613: .sleetShowers
    case 620: .lightSnowShowers
    case 621: .snowShowers
    case 622: .heavySnowShowers
    case 701: .mist
    case 711: .smoke
    case 721: .haze
    case 731, 751, 761: .dust
    case 741: .fog
    case 762: .volcanicAsh
    case 771: .squall
    case 781: .tornado
    case 800: .clear
    case 801: .mainlyClear
    case 802: .partlyCloudy
    case 803: .mostlyCloudy
    case 804: .overcast
    default: WeatherCondition(unknownCode: String(code))
    }
  }
}
