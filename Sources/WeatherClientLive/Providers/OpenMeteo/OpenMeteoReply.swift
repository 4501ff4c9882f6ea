// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// A reply in Open-Meteo's protocol.
///
/// Every field may be missing or null. Servers of before 2023 use the old field names, such as
/// `weathercode` and `windspeed_10m`.
struct OpenMeteoReply: Decodable {
  var error: Bool?
  var utcOffsetSeconds: Int?
  var timezone: String?
  /// Whether the server simulates the weather.
  var simulated: Bool?
  var current: OpenMeteoMoment?
  var currentUnits: [String: String?]?
  var hourly: OpenMeteoHourly?
  var hourlyUnits: [String: String?]?
  var daily: OpenMeteoDaily?
  var dailyUnits: [String: String?]?

  enum CodingKeys: String, CodingKey {
    case error, simulated, current, hourly, daily, timezone
    case utcOffsetSeconds = "utc_offset_seconds"
    case currentUnits = "current_units"
    case hourlyUnits = "hourly_units"
    case dailyUnits = "daily_units"
  }

  /// Adds the values to a report, in the units of this project.
  func fill(_ blank: WeatherReport) throws(WeatherError) -> WeatherReport {
    guard current != nil || hourly != nil || daily != nil else {
      throw .malformed(field: "reply", reason: "has neither current nor hourly nor daily")
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
    let zone = PlaceZone(name: timezone, offsetSeconds: utcOffsetSeconds.map(Double.init))
      .zone(at: report.coordinate, report.validAt ?? report.hours.first?.time)
    var days: [DayWeather] = []
    if let daily {
      let units = OpenMeteoUnits(object: "daily_units", units: dailyUnits)
      days = try daily.days(units, offsetSeconds: utcOffsetSeconds, zone)
    }
    report.setDays(days, in: zone)
    return report
  }
}

/// A time in a format of Open-Meteo: a Unix time, a local time without offset (`2024-03-01T14:30`),
/// or a date.
enum OpenMeteoTime: Decodable, Equatable {
  case unix(Int64)
  case wall(UTCTime)
  case unreadable

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let seconds = try? container.decode(Int64.self) {
      self = .unix(seconds)
    } else {
      self = Self.parse(try container.decode(String.self)).map(Self.wall) ?? .unreadable
    }
  }

  /// Returns the time in UTC.
  func utc(offsetSeconds: Int?) -> UTCTime? {
    switch self {
    case .unix(let seconds): ProviderTime.unix(Double(seconds))
    case .wall(let wall):
      UTCTime(secondsSince1970: wall.secondsSince1970 &- Int64(offsetSeconds ?? 0))
    case .unreadable: nil
    }
  }

  /// Returns the local date.
  ///
  /// A day is represented by the Unix time of its local midnight.
  func date(_ zone: LocalZone) -> UTCDate? {
    switch self {
    case .unix(let seconds) where seconds < 0: nil
    case .unix(let seconds): zone.date(nearMidnight: UTCTime(secondsSince1970: seconds))
    case .wall(let wall): wall.date
    case .unreadable: nil
    }
  }

  private static func parse(_ text: String) -> UTCTime? {
    let halves = text.split(separator: "T", omittingEmptySubsequences: false)
    let day = halves[0].split(separator: "-").map { Int($0) }
    guard halves.count <= 2, day.count == 3, let year = day[0], let month = day[1],
      let number = day[2], let date = UTCDate(year: year, month: month, day: number)
    else { return nil }
    let clock = (halves.count == 2 ? halves[1] : "00:00").split(separator: ":").map { UInt8($0) }
    guard clock.count == 2 || clock.count == 3, let hour = clock[0], let minute = clock[1],
      let second = clock.count == 3 ? clock[2] : 0,
      let time = UTCTimeOfDay(hour: hour, minute: minute, second: second)
    else { return nil }
    return UTCTime(date: date, timeOfDay: time)
  }
}

/// The units of the values in a reply.
///
/// The units of a self-hosted server may differ from the requested units.
struct OpenMeteoUnits {
  /// The name of the JSON object with the units, for error messages.
  let object: String
  let units: [String: String?]?

  func value(
    _ value: Double?, _ field: String, _ convert: ProviderUnit.Conversion
  ) throws(WeatherError) -> Double? {
    try convert(value, units?[field] ?? nil, "\(object).\(field)")
  }
}
