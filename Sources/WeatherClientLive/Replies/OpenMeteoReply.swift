// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// A reply in Open-Meteo's protocol.
///
/// Everything in it may be missing or null. Servers older than 2023 and habits older than that say
/// `weathercode` and `windspeed_10m`.
struct OpenMeteoReply: Decodable {
  var error: Bool?
  var utcOffsetSeconds: Int?
  /// Said by a server whose weather is not of this world.
  var simulated: Bool?
  var current: OpenMeteoMoment?
  var currentUnits: [String: String?]?
  var hourly: OpenMeteoHourly?
  var hourlyUnits: [String: String?]?
  var daily: OpenMeteoDaily?
  var dailyUnits: [String: String?]?

  enum CodingKeys: String, CodingKey {
    case error, simulated, current, hourly, daily
    case utcOffsetSeconds = "utc_offset_seconds"
    case currentUnits = "current_units"
    case hourlyUnits = "hourly_units"
    case dailyUnits = "daily_units"
  }

  /// What the reply says, in this project's units.
  func fill(_ blank: WeatherReport) throws(WeatherError) -> WeatherReport {
    guard current != nil || hourly != nil || daily != nil else {
      throw .malformed(field: "body", reason: "has neither current nor hourly nor daily")
    }
    var report = blank
    report.isSimulated = simulated ?? false
    if let current {
      let units = OpenMeteoUnits(object: "current_units", units: currentUnits)
      report.now = try current.weather(units)
      report.validAt = current.time?.utc(offsetSeconds: utcOffsetSeconds)
    }
    if let hourly {
      let units = OpenMeteoUnits(object: "hourly_units", units: hourlyUnits)
      report.hours = try hourly.hours(units, offsetSeconds: utcOffsetSeconds)
    }
    if let daily {
      let units = OpenMeteoUnits(object: "daily_units", units: dailyUnits)
      report.days = try daily.days(units, offsetSeconds: utcOffsetSeconds)
    }
    return report
  }
}
