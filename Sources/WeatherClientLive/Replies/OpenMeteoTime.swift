// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A time in either form that Open-Meteo has: Unix time, or the wall clock at the place without
/// its offset (`2024-03-01T14:30`), or a date alone.
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

  /// The moment meant.
  func utc(offsetSeconds: Int?) -> UTCTime? {
    switch self {
    case .unix(let seconds): ProviderTime.unix(Double(seconds))
    case .wall(let wall):
      UTCTime(secondsSince1970: wall.secondsSince1970 &- Int64(offsetSeconds ?? 0))
    case .unreadable: nil
    }
  }

  /// The date meant, at the place: a day's Unix time is that of its local midnight.
  func date(offsetSeconds: Int?) -> UTCDate? {
    switch self {
    case .unix(let seconds) where seconds < 0: nil
    case .unix(let seconds):
      UTCTime(secondsSince1970: seconds &+ Int64(offsetSeconds ?? 0)).date
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
