// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// A reply in Open-Meteo's protocol.
///
/// Everything in it may be missing or null. Servers older than 2023 and habits older than that say `weathercode` and `windspeed_10m`.
struct OpenMeteoReply: Decodable {
  var error: Bool?
  var reason: String?
  var utcOffsetSeconds: Int?
  /// Said by a server whose weather is not of this world.
  var simulated: Bool?
  var current: Current?
  var currentUnits: [String: String?]?
  var daily: Daily?
  var dailyUnits: [String: String?]?

  enum CodingKeys: String, CodingKey {
    case error, reason, simulated, current, daily
    case utcOffsetSeconds = "utc_offset_seconds"
    case currentUnits = "current_units"
    case dailyUnits = "daily_units"
  }

  struct Current: Decodable {
    var time: OpenMeteoTime?
    var temperature: Double?
    var apparentTemperature: Double?
    var humidity: Double?
    var precipitation: Double?
    var weatherCode: Double?
    var oldWeatherCode: Double?
    var cloudCover: Double?
    var pressure: Double?
    var windSpeed: Double?
    var oldWindSpeed: Double?
    var windDirection: Double?
    var oldWindDirection: Double?

    enum CodingKeys: String, CodingKey {
      case time, precipitation
      case temperature = "temperature_2m"
      case apparentTemperature = "apparent_temperature"
      case humidity = "relative_humidity_2m"
      case weatherCode = "weather_code"
      case oldWeatherCode = "weathercode"
      case cloudCover = "cloud_cover"
      case pressure = "pressure_msl"
      case windSpeed = "wind_speed_10m"
      case oldWindSpeed = "windspeed_10m"
      case windDirection = "wind_direction_10m"
      case oldWindDirection = "winddirection_10m"
    }
  }

  /// Columns: the n-th element of each belongs to the n-th day.
  struct Daily: Decodable {
    var time: [OpenMeteoTime?]?
    var weatherCode: [Double?]?
    var highest: [Double?]?
    var lowest: [Double?]?
    var precipitation: [Double?]?
    var sunrise: [OpenMeteoTime?]?
    var sunset: [OpenMeteoTime?]?

    enum CodingKeys: String, CodingKey {
      case time, sunrise, sunset
      case weatherCode = "weather_code"
      case highest = "temperature_2m_max"
      case lowest = "temperature_2m_min"
      case precipitation = "precipitation_sum"
    }
  }
}

extension OpenMeteoReply {
  /// What the reply says, in this project's units.
  func report(at coordinate: Coordinate) throws(WeatherError) -> WeatherReport {
    guard current != nil || daily != nil else {
      throw .malformed(field: "body", reason: "has neither current nor daily")
    }
    var report = WeatherReport(coordinate: coordinate, provider: "openmeteo", kind: .forecast)
    report.isSimulated = simulated ?? false
    if !report.isSimulated {
      report.attribution = "Weather data by Open-Meteo.com, CC BY 4.0"
    }
    if let current {
      report.now = try now(current)
      report.validAt = current.time?.utc(offsetSeconds: utcOffsetSeconds)
    }
    if let daily { report.days = try days(daily) }
    return report
  }

  private func now(_ current: Current) throws(WeatherError) -> CurrentWeather {
    let units = OpenMeteoUnits(object: "current_units", units: currentUnits)
    var now = CurrentWeather()
    now.temperatureDegreesCelsius = try units.celsius(current.temperature, "temperature_2m")
    now.apparentTemperatureDegreesCelsius = try units.celsius(
      current.apparentTemperature, "apparent_temperature")
    now.humidityPercent = current.humidity
    now.pressureSeaLevelHectopascals = current.pressure
    let wind = try units.metersPerSecond(current.windSpeed, "wind_speed_10m")
    let oldWind = try units.metersPerSecond(current.oldWindSpeed, "windspeed_10m")
    now.windSpeedMetersPerSecond = wind ?? oldWind
    now.windDirectionDegreesTrue = current.windDirection ?? current.oldWindDirection
    now.precipitationMillimeters = try units.millimeters(current.precipitation, "precipitation")
    now.cloudCoverPercent = current.cloudCover
    now.condition = Self.condition(current.weatherCode ?? current.oldWeatherCode)
    return now
  }

  private func days(_ daily: Daily) throws(WeatherError) -> [DayWeather] {
    let units = OpenMeteoUnits(object: "daily_units", units: dailyUnits)
    var days: [DayWeather] = []
    // The protocol knows sixteen days, and ninety-two past ones.
    for (index, time) in (daily.time ?? []).prefix(128).enumerated() {
      guard let date = time?.date(offsetSeconds: utcOffsetSeconds) else { continue }
      func column<Value>(_ values: [Value?]?) -> Value? {
        values.flatMap { index < $0.count ? $0[index] : nil }
      }
      var day = DayWeather(date: date)
      day.highestTemperatureDegreesCelsius = try units.celsius(
        column(daily.highest), "temperature_2m_max")
      day.lowestTemperatureDegreesCelsius = try units.celsius(
        column(daily.lowest), "temperature_2m_min")
      day.precipitationMillimeters = try units.millimeters(
        column(daily.precipitation), "precipitation_sum")
      day.condition = Self.condition(column(daily.weatherCode))
      day.sunrise = column(daily.sunrise)?.utc(offsetSeconds: utcOffsetSeconds)
      day.sunset = column(daily.sunset)?.utc(offsetSeconds: utcOffsetSeconds)
      days.append(day)
    }
    return days
  }

  private static func condition(_ code: Double?) -> WeatherCondition? {
    code.flatMap(Int.init(exactly:)).map(WeatherCondition.init(wmoCode:))
  }
}
