// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Positioning

/// A reply in Open-Meteo's format, marked as simulated.
struct DemoWeatherReply: Encodable {
  /// The error reply for an invalid request, with the reason that Open-Meteo would give.
  struct Refusal: Error, Encodable {
    var error = true
    var reason: String
  }

  struct Current: Encodable {
    var time: Int64
    var interval = 900
    var temperature2m: Double
    var apparentTemperature: Double
    var relativeHumidity2m: Double
    var precipitation: Double
    var weatherCode: Int
    var cloudCover: Double
    var pressureMsl: Double
    var windSpeed10m: Double
    var windDirection10m: Double

    enum CodingKeys: String, CodingKey {
      case time, interval, precipitation
      case temperature2m = "temperature_2m"
      case apparentTemperature = "apparent_temperature"
      case relativeHumidity2m = "relative_humidity_2m"
      case weatherCode = "weather_code"
      case cloudCover = "cloud_cover"
      case pressureMsl = "pressure_msl"
      case windSpeed10m = "wind_speed_10m"
      case windDirection10m = "wind_direction_10m"
    }
  }

  struct Daily: Encodable {
    var time: [Int64] = []
    var weatherCode: [Int] = []
    var temperature2mMax: [Double] = []
    var temperature2mMin: [Double] = []
    var precipitationSum: [Double] = []
    var sunrise: [Int64?] = []
    var sunset: [Int64?] = []

    enum CodingKeys: String, CodingKey {
      case time, sunrise, sunset
      case weatherCode = "weather_code"
      case temperature2mMax = "temperature_2m_max"
      case temperature2mMin = "temperature_2m_min"
      case precipitationSum = "precipitation_sum"
    }
  }

  var latitude: Double
  var longitude: Double
  var utcOffsetSeconds: Int64
  var timezone: String
  var simulated = true
  var generator = "fixcast demo"
  var currentUnits = [
    "time": "unixtime", "temperature_2m": "°C", "wind_speed_10m": "m/s", "precipitation": "mm",
  ]
  var current: Current
  var dailyUnits = ["time": "unixtime", "temperature_2m_max": "°C", "precipitation_sum": "mm"]
  var daily: Daily

  enum CodingKeys: String, CodingKey {
    case latitude, longitude, timezone, simulated, generator, current, daily
    case utcOffsetSeconds = "utc_offset_seconds"
    case currentUnits = "current_units"
    case dailyUnits = "daily_units"
  }

  /// Creates the reply to a request.
  ///
  /// - Throws: ``Refusal`` if the coordinate is missing or out of range.
  init(query: [String: String], at time: UTCTime) throws(Refusal) {
    guard let latitude = query["latitude"].flatMap(Double.init),
      let longitude = query["longitude"].flatMap(Double.init)
    else { throw Refusal(reason: "Parameter 'latitude' and 'longitude' must be numbers.") }
    guard let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
      throw Refusal(
        reason: "Latitude must be in range of -90 to 90°. Given: \(latitude), \(longitude).")
    }
    guard query["timeformat"] == "unixtime", query["wind_speed_unit"] == "ms" else {
      throw Refusal(reason: "This server supports only timeformat=unixtime and wind_speed_unit=ms.")
    }
    let weather = DemoWeather(coordinate: coordinate)
    // Open-Meteo reports the current weather for the start of each quarter of an hour.
    let quarter = time.secondsSince1970 - time.secondsSince1970 % 900
    let now = weather.moment(UTCTime(secondsSince1970: quarter))
    self.latitude = latitude
    self.longitude = longitude
    current = Current(
      time: quarter, temperature2m: Self.tenths(now.temperature),
      apparentTemperature: Self.tenths(now.apparentTemperature),
      relativeHumidity2m: now.humidity.rounded(), precipitation: Self.tenths(now.precipitation),
      weatherCode: now.weatherCode, cloudCover: now.cloudCover.rounded(),
      pressureMsl: Self.tenths(now.pressure), windSpeed10m: Self.tenths(now.windSpeed),
      windDirection10m: now.windDirection.rounded())
    let hours = weather.zoneHours
    utcOffsetSeconds = hours * 3600
    // The names of the zones west of Greenwich have a plus sign.
    timezone = hours == 0 ? "GMT" : "Etc/GMT\(hours > 0 ? "-" : "+")\(abs(hours))"
    daily = Self.daily(
      weather, from: UTCTime(secondsSince1970: time.secondsSince1970 + hours * 3600).date)
  }

  private static func daily(_ weather: DemoWeather, from first: UTCDate) -> Daily {
    var daily = Daily()
    for offset in 0..<7 as Range<Int32> {
      let date = first.adding(days: offset)
      let day = weather.day(date)
      let sun = weather.sun(date)
      daily.time.append(weather.midnight(date))
      daily.weatherCode.append(day.weatherCode)
      daily.temperature2mMax.append(tenths(day.highest))
      daily.temperature2mMin.append(tenths(day.lowest))
      daily.precipitationSum.append(tenths(day.precipitation))
      daily.sunrise.append(sun?.rise)
      daily.sunset.append(sun?.set)
    }
    return daily
  }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

  /// Returns the encoded reply.
  func json() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }
}
