// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// A reply in Dark Sky's protocol; everything in it may be missing, null or -999.
struct DarkSkyReply: Decodable {
  /// Hours that the place is ahead of UTC.
  var offset: Double?
  var currently: DarkSkyPoint?
  var hourly: Block?
  var daily: Block?
  var flags: Flags?

  struct Block: Decodable { var data: [DarkSkyPoint?]? }
  struct Flags: Decodable { var units: String? }

  /// What the reply says, in this project's units.
  func fill(_ blank: WeatherReport) throws(WeatherError) -> WeatherReport {
    guard currently != nil || hourly != nil || daily != nil else {
      throw .malformed(field: "body", reason: "has neither currently nor hourly nor daily")
    }
    let units = try DarkSkyUnits(flags?.units)
    var report = blank
    if let currently {
      report.now = try currently.weather(units)
      report.validAt = ProviderTime.unix(currently.time)
    }
    // A week in hours, where it was asked for.
    for point in (hourly?.data ?? []).prefix(240) {
      guard let point, let time = ProviderTime.unix(point.time) else { continue }
      var hour = HourWeather(time: time)
      hour.weather = try point.weather(units)
      hour.precipitationProbabilityPercent = point.probabilityPercent
      report.hours.append(hour)
    }
    for point in (daily?.data ?? []).prefix(32) {
      guard let point, let day = try day(point, units) else { continue }
      report.days.append(day)
    }
    return report
  }

  /// A day's time is that of midnight at the place.
  private func day(_ point: DarkSkyPoint, _ units: DarkSkyUnits) throws(WeatherError) -> DayWeather?
  {
    guard let time = ProviderTime.unix(point.time) else { return nil }
    let offset = offset.flatMap { abs($0) <= 18 ? Int64($0 * 3600) : nil } ?? 0
    var day = DayWeather(
      date: UTCTime(secondsSince1970: time.secondsSince1970 + offset).date)
    day.lowestTemperatureDegreesCelsius = try units.celsius(point.temperatureMin)
    day.highestTemperatureDegreesCelsius = try units.celsius(point.temperatureMax)
    // The mean over the day.
    day.precipitationMillimeters = try units.millimeters(point.intensity).map { $0 * 24 }
    day.precipitationProbabilityPercent = point.probabilityPercent
    day.condition = point.icon.map(DarkSkyIcon.condition)
    day.sunrise = ProviderTime.unix(point.sunriseTime)
    day.sunset = ProviderTime.unix(point.sunsetTime)
    return day
  }
}

/// The weather of a moment, an hour or a day.
struct DarkSkyPoint: Decodable {
  var time: Double?
  var icon: String?
  var temperature: Double?
  var apparentTemperature: Double?
  var temperatureMin: Double?
  var temperatureMax: Double?
  var dewPoint: Double?
  var humidity: Double?
  var pressure: Double?
  var windSpeed: Double?
  var windGust: Double?
  var windBearing: Double?
  var cloudCover: Double?
  var visibility: Double?
  var intensity: Double?
  var probability: Double?
  var sunriseTime: Double?
  var sunsetTime: Double?

  enum CodingKeys: String, CodingKey {
    case time, icon, temperature, apparentTemperature, temperatureMin, temperatureMax, dewPoint
    case humidity, pressure, windSpeed, windGust, windBearing, cloudCover, visibility
    case sunriseTime, sunsetTime
    case intensity = "precipIntensity"
    case probability = "precipProbability"
  }

  /// Shares of one in percent.
  private static func percent(_ share: Double?) -> Double? { share.map { $0 * 100 } }

  var probabilityPercent: Double? { Self.percent(probability) }

  func weather(_ units: DarkSkyUnits) throws(WeatherError) -> CurrentWeather {
    var weather = CurrentWeather()
    weather.temperatureDegreesCelsius = try units.celsius(temperature)
    weather.apparentTemperatureDegreesCelsius = try units.celsius(apparentTemperature)
    weather.dewPointDegreesCelsius = try units.celsius(dewPoint)
    weather.humidityPercent = Self.percent(humidity)
    // Hectopascals or millibars in each of its systems, and reduced to sea level.
    weather.pressureSeaLevelHectopascals = pressure
    weather.windSpeedMetersPerSecond = try units.metersPerSecond(windSpeed)
    weather.windGustMetersPerSecond = try units.metersPerSecond(windGust)
    weather.windDirectionDegreesTrue = windBearing
    weather.precipitationMillimeters = try units.millimeters(intensity)
    weather.cloudCoverPercent = Self.percent(cloudCover)
    weather.visibilityMeters = try units.meters(visibility)
    weather.condition = icon.map(DarkSkyIcon.condition)
    return weather
  }
}
