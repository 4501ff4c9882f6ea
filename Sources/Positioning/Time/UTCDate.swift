// SPDX-License-Identifier: Apache-2.0

/// A date in UTC, proleptic Gregorian.
public struct UTCDate: Comparable, Hashable, Sendable {
  /// Days since 1970-01-01.
  public let daysSince1970: Int32

  /// Makes a date from a day count.
  public init(daysSince1970: Int32) { self.daysSince1970 = daysSince1970 }

  /// Makes a date from year, month and day; `nil` if the date does not exist, such as 30 February.
  ///
  /// - Parameters:
  ///   - year: 0 to 9999.
  ///   - month: 1 to 12.
  ///   - day: 1 to the last of that month.
  public init?(year: Int, month: Int, day: Int) {
    guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    // Days from a year that begins in March, as in H. Hinnant, "chrono-Compatible Low-Level
    // Date Algorithms", `days_from_civil`: the leap day is then the last day of the year.
    let y = month > 2 ? year : year - 1
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let made = UTCDate(daysSince1970: Int32(truncatingIfNeeded: era * 146_097 + dayOfEra - 719_468))
    guard day <= 28 || made.civil.day == day else { return nil }
    self = made
  }

  /// Year, month and day; the inverse of ``init(year:month:day:)``.
  public var civil: (year: Int, month: Int, day: Int) {
    let shifted = Int(daysSince1970) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// Returns the date plus a number of days, which may be negative.
  ///
  /// The result is clamped to the range of 32-bit day counts.
  public func adding(days: Int32) -> UTCDate {
    let (sum, overflow) = daysSince1970.addingReportingOverflow(days)
    return UTCDate(daysSince1970: overflow ? (days < 0 ? .min : .max) : sum)
  }

  /// Orders by time.
  public static func < (left: UTCDate, right: UTCDate) -> Bool {
    left.daysSince1970 < right.daysSince1970
  }
}

extension UTCDate: Codable {
  /// Decodes days since 1970-01-01.
  ///
  /// - Throws: `DecodingError` if the value is not a 32-bit integer.
  public init(from decoder: any Decoder) throws {
    self.init(daysSince1970: try decoder.singleValueContainer().decode(Int32.self))
  }

  /// Encodes days since 1970-01-01.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(daysSince1970)
  }
}
