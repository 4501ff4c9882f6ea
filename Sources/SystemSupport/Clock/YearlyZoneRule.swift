// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The offset of a time zone for all years, as in the variable `TZ` of POSIX: a standard time, and
/// the dates between which daylight saving time is valid.
///
/// An example is `CET-1CEST,M3.5.0,M10.5.0/3`: from 02:00 on the last Sunday in March until 03:00 on
/// the last Sunday in October. Dates that are not a weekday of a month are not supported, since the
/// time zone database contains none.
struct YearlyZoneRule: Equatable, Sendable {
  /// A date and time of the change: a weekday in a week of a month.
  private struct Change: Equatable, Sendable {
    var month: Int
    /// The week of the month, 1 to 5; 5 is the last one.
    var week: Int
    /// The weekday; 0 is Sunday.
    var weekday: Int
    /// The seconds after midnight, which may be negative or more than a day.
    var seconds: Int64 = 7200

    /// Returns the local time of the change in seconds since 1970, or `nil` beyond the year 9999.
    func second(inYear year: Int) -> Int64? {
      guard let first = UTCDate(year: year, month: month, day: 1) else { return nil }
      // 1970-01-01 was a Thursday.
      let firstWeekday = ((Int(first.daysSince1970) + 4) % 7 + 7) % 7
      var day = (weekday - firstWeekday + 7) % 7 + 1 + (week - 1) * 7
      while UTCDate(year: year, month: month, day: day) == nil, day > 7 { day -= 7 }
      return (Int64(first.daysSince1970) + Int64(day) - 1) * 86_400 + seconds
    }
  }

  private struct Daylight: Equatable, Sendable {
    var offset: ZoneRules.Offset
    var start: Change
    var end: Change
  }

  private var standard: ZoneRules.Offset
  private var daylight: Daylight?

  /// Parses a rule, or returns `nil` if the text is invalid or has an unsupported date.
  init?(_ text: String) {
    var parser = Parser(rest: Array(text.utf8)[...])
    guard let name = parser.name(), let west = parser.time(maxHours: 24) else { return nil }
    standard = .init(seconds: -west, abbreviation: name)
    guard !parser.rest.isEmpty else { return }
    guard let daylightName = parser.name() else { return nil }
    var offset = ZoneRules.Offset(seconds: standard.seconds + 3600, abbreviation: daylightName)
    if parser.rest.first != UInt8(ascii: ",") {
      guard let west = parser.time(maxHours: 24) else { return nil }
      offset.seconds = -west
    }
    guard let start = parser.change(), let end = parser.change(), parser.rest.isEmpty else {
      return nil
    }
    daylight = Daylight(offset: offset, start: start, end: end)
  }

  /// Returns the offset at a Unix time.
  func offset(at second: Int64) -> ZoneRules.Offset {
    guard let daylight else { return standard }
    let local = UTCTime(secondsSince1970: second &+ standard.seconds)
    let year = local.date.civil.year
    guard let start = daylight.start.second(inYear: year),
      let end = daylight.end.second(inYear: year)
    else { return standard }
    // The change to daylight saving time is in standard time, and the change back in daylight time.
    let from = start - standard.seconds
    let until = end - daylight.offset.seconds
    let isDaylight =
      from < until ? (from..<until).contains(second) : !(until..<from).contains(second)
    return isDaylight ? daylight.offset : standard
  }

  /// Parses the parts of a rule.
  private struct Parser {
    var rest: ArraySlice<UInt8>

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest = rest.dropFirst()
      return true
    }

    /// Parses an abbreviation of letters, or of other characters between `<` and `>`.
    mutating func name() -> String? {
      let isQuoted = skip("<")
      let name = rest.prefix {
        isQuoted ? $0 != UInt8(ascii: ">") : (0x41...0x5A).contains($0 & 0xDF)
      }
      rest = rest.dropFirst(name.count)
      guard (3...16).contains(name.count), !isQuoted || skip(">") else { return nil }
      return String(decoding: name, as: UTF8.self)
    }

    private mutating func number() -> Int64? {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest.dropFirst(digits.count)
      guard (1...3).contains(digits.count) else { return nil }
      return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// Parses hours, minutes and seconds, such as `-5:30`, and returns seconds.
    mutating func time(maxHours: Int64) -> Int64? {
      let isNegative = skip("-")
      if !isNegative { _ = skip("+") }
      guard let hours = number(), hours <= maxHours else { return nil }
      var seconds = hours * 3600
      for unit in [60, 1] as [Int64] where skip(":") {
        guard let value = number(), value < 60 else { return nil }
        seconds += value * unit
      }
      return isNegative ? -seconds : seconds
    }

    /// Parses a comma and a change, such as `,M10.5.0/3`.
    mutating func change() -> Change? {
      guard skip(","), skip("M"), let month = number(), (1...12).contains(month), skip("."),
        let week = number(), (1...5).contains(week), skip("."), let weekday = number(),
        (0...6).contains(weekday)
      else { return nil }
      var change = Change(month: Int(month), week: Int(week), weekday: Int(weekday))
      if skip("/") {
        guard let seconds = time(maxHours: 167) else { return nil }
        change.seconds = seconds
      }
      return change
    }
  }
}
