// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

/// A place with known time zone rules, and a time at which its weather is looked up.
///
/// The offsets are from the announcements of the countries, not from the time zone database.
struct ForecastPlace: Sendable, CustomTestStringConvertible {
  let zone: String
  let coordinate: Coordinate
  /// The time of the lookup in seconds since 1970.
  let now: Int64
  /// The offset from UTC in seconds, at the time of the lookup.
  let offset: Int64
  /// The time of a change of daylight saving time during the forecast, and the offset after it.
  var change: (at: Int64, offset: Int64)?

  var testDescription: String { zone }

  static let all: [ForecastPlace] = [
    .init(zone: "Pacific/Pago_Pago", -14.28, -170.7, "2026-07-01T12:37:00Z", -39_600),
    .init(zone: "Pacific/Kiritimati", 1.98, -157.47, "2026-07-01T12:37:00Z", 50_400),
    .init(zone: "Asia/Kolkata", 28.61, 77.21, "2026-07-01T20:05:00Z", 19_800),
    .init(zone: "Asia/Kathmandu", 27.7, 85.32, "2026-07-01T04:50:00Z", 20_700),
    .init(zone: "Asia/Tokyo", 35.68, 139.69, "2026-11-20T18:00:00Z", 32_400),
    .init(zone: "America/St_Johns", 47.56, -52.71, "2026-07-01T23:59:00Z", -9000),
    // Friday, 20:10. Daylight saving time ends on Sunday.
    .init(
      zone: "America/Los_Angeles", 34.05, -118.24, "2026-10-31T03:10:00Z", -25_200,
      change: ("2026-11-01T09:00:00Z", -28_800)),
    .init(
      zone: "Europe/Berlin", 52.52, 13.4, "2026-03-27T18:10:00Z", 3600,
      change: ("2026-03-29T01:00:00Z", 7200)),
    .init(
      zone: "Pacific/Chatham", -43.95, -176.56, "2026-04-03T02:20:00Z", 49_500,
      change: ("2026-04-04T14:00:00Z", 45_900)),
  ]

  init(
    zone: String, _ latitude: Double, _ longitude: Double, _ now: String, _ offset: Int64,
    change: (at: String, offset: Int64)? = nil
  ) {
    self.zone = zone
    coordinate = .at(latitude, longitude)
    self.now = Self.second(now)
    self.offset = offset
    self.change = change.map { (Self.second($0.at), $0.offset) }
  }

  static func second(_ text: String) -> Int64 {
    let parts = text.split { "-T:Z".contains($0) }.compactMap { Int($0) }
    let days = UTCDate(year: parts[0], month: parts[1], day: parts[2])?.daysSince1970 ?? 0
    return Int64(days) * 86_400 + Int64(parts[3] * 3600 + parts[4] * 60 + parts[5])
  }

  func offset(at second: Int64) -> Int64 {
    change.flatMap { second < $0.at ? nil : $0.offset } ?? offset
  }

  /// Returns the local day in days since 1970.
  func day(at second: Int64) -> Int64 {
    Int64((Double(second + offset(at: second)) / 86_400).rounded(.down))
  }

  /// Returns the time at which a local day begins; no change of these places is at midnight.
  func start(ofDay day: Int64) -> Int64 {
    let second = day * 86_400 - offset
    return change.flatMap { second < $0.at ? nil : day * 86_400 - $0.offset } ?? second
  }

  /// Returns the local time with its offset, such as `2026-10-30T20:00:00-07:00`.
  func text(_ second: Int64) -> String {
    func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let seconds = offset(at: second)
    let day = day(at: second)
    let (year, month, date) = UTCDate(daysSince1970: Int32(day)).civil
    let clock = second + seconds - day * 86_400
    return "\(year)-\(two(Int64(month)))-\(two(Int64(date)))T\(two(clock / 3600)):"
      + "\(two(clock / 60 % 60)):\(two(clock % 60))\(seconds < 0 ? "-" : "+")"
      + "\(two(abs(seconds) / 3600)):\(two(abs(seconds) / 60 % 60))"
  }

  /// Returns the temperature at a time, in tenths of degrees, which is different at each time.
  func temperature(_ second: Int64) -> Double {
    var value = UInt64(bitPattern: second / 300) &* 0x9E37_79B9_7F4A_7C15
    value ^= value >> 29
    value = value &* 0xBF58_476D_1CE4_E5B9
    return Double(value >> 40 & 0x1FF) / 10 - 10
  }

  /// Returns the temperatures of each hour between two times.
  func extremes(from start: Int64, until end: Int64) -> (lowest: Double, highest: Double) {
    let values = stride(from: start, to: end, by: 3600).map(temperature)
    return (values.min() ?? .nan, values.max() ?? .nan)
  }
}
