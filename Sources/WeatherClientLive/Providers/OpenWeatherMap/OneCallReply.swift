// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// A reply of OpenWeatherMap's One Call 3.0: current weather, hours and days, in kelvin and metres
/// per second.
struct OneCallReply: Decodable {
  /// The IANA time zone.
  var timezone: String?
  /// The offset of the local time from UTC in seconds.
  var timezoneOffset: Double?
  var current: OneCallMoment?
  var hourly: [OneCallMoment?]?
  var daily: [OneCallDay?]?

  enum CodingKeys: String, CodingKey {
    case current, hourly, daily, timezone
    case timezoneOffset = "timezone_offset"
  }

  func fill(_ blank: WeatherReport) throws(WeatherError) -> WeatherReport {
    guard current != nil || hourly != nil || daily != nil else {
      throw .malformed(field: "reply", reason: "has neither current nor hourly nor daily")
    }
    var report = blank
    if let current {
      report.now = try current.weather()
      report.validAt = ProviderTime.unix(current.dt)
      report.issuedAt = report.validAt
    }
    for moment in (hourly ?? []).prefix(240) {
      guard let moment, let time = ProviderTime.unix(moment.dt) else { continue }
      var hour = HourWeather(time: time)
      hour.weather = try moment.weather()
      hour.precipitationProbabilityPercent = moment.pop.map { $0 * 100 }
      report.hours.append(hour)
    }
    let zone = PlaceZone(name: timezone, offsetSeconds: timezoneOffset)
      .zone(at: report.coordinate, report.validAt ?? report.hours.first?.time)
    var days: [DayWeather] = []
    for day in (daily ?? []).prefix(32) {
      guard let day, let weather = try day.weather(zone) else { continue }
      days.append(weather)
    }
    report.setDays(days, in: zone)
    return report
  }
}

/// The values of a moment or an hour.
struct OneCallMoment: Decodable {
  /// The Unix time in seconds.
  var dt: Double?
  var temp: Double?
  var feelsLike: Double?
  var dewPoint: Double?
  var pressure: Double?
  var humidity: Double?
  var clouds: Double?
  var visibility: Double?
  var windSpeed: Double?
  var windGust: Double?
  var windDegrees: Double?
  /// The probability of precipitation, 0 to 1.
  var pop: Double?
  var codes: [OpenWeatherCode?]?
  var rain: OpenWeatherMoment.Amount?
  var snow: OpenWeatherMoment.Amount?

  enum CodingKeys: String, CodingKey {
    case dt, temp, pressure, humidity, clouds, visibility, pop, rain, snow
    case codes = "weather"
    case feelsLike = "feels_like"
    case dewPoint = "dew_point"
    case windSpeed = "wind_speed"
    case windGust = "wind_gust"
    case windDegrees = "wind_deg"
  }

  func weather() throws(WeatherError) -> CurrentWeather {
    var weather = CurrentWeather()
    weather.temperatureDegreesCelsius = try ProviderUnit.celsius(temp, "K", "temp")
    weather.apparentTemperatureDegreesCelsius = try ProviderUnit.celsius(
      feelsLike, "K", "feels_like")
    weather.dewPointDegreesCelsius = try ProviderUnit.celsius(dewPoint, "K", "dew_point")
    weather.pressureSeaLevelHectopascals = pressure
    weather.humidityPercent = humidity
    weather.cloudCoverPercent = clouds
    weather.visibilityMeters = visibility
    weather.windSpeedMetersPerSecond = windSpeed
    weather.windGustMetersPerSecond = windGust
    weather.windDirectionDegreesTrue = windDegrees
    let amounts = [rain?.oneHour, snow?.oneHour].compactMap { $0 }
    weather.precipitationMillimeters = amounts.isEmpty ? nil : amounts.reduce(0, +)
    weather.condition = OpenWeatherCode.condition(codes)
    return weather
  }
}

/// The values of a day.
struct OneCallDay: Decodable {
  struct Temperature: Decodable {
    var min: Double?
    var max: Double?
  }

  var dt: Double?
  var sunrise: Double?
  var sunset: Double?
  var temp: Temperature?
  var windSpeed: Double?
  var pop: Double?
  var rain: Double?
  var snow: Double?
  var codes: [OpenWeatherCode?]?

  enum CodingKeys: String, CodingKey {
    case dt, sunrise, sunset, temp, pop, rain, snow
    case codes = "weather"
    case windSpeed = "wind_speed"
  }

  /// Converts the day, whose `dt` is the Unix time of local noon.
  func weather(_ zone: LocalZone) throws(WeatherError) -> DayWeather? {
    guard let noon = ProviderTime.unix(dt) else { return nil }
    var day = DayWeather(date: zone.local(noon).date)
    day.lowestTemperatureDegreesCelsius = try ProviderUnit.celsius(temp?.min, "K", "temp.min")
    day.highestTemperatureDegreesCelsius = try ProviderUnit.celsius(temp?.max, "K", "temp.max")
    day.highestWindSpeedMetersPerSecond = windSpeed
    day.precipitationProbabilityPercent = pop.map { $0 * 100 }
    let amounts = [rain, snow].compactMap { $0 }
    day.precipitationMillimeters = amounts.isEmpty ? nil : amounts.reduce(0, +)
    day.condition = OpenWeatherCode.condition(codes)
    day.sunrise = ProviderTime.unix(sunrise)
    day.sunset = ProviderTime.unix(sunset)
    return day
  }
}
