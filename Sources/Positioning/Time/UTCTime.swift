// SPDX-License-Identifier: Apache-2.0

/// A UTC time with nanoseconds that can also represent a leap second.
///
/// Unix time cannot represent 23:59:60, which receivers send. A leap second has the
/// ``secondsSince1970`` of 23:59:59 and a true ``isLeapSecond``, so that times still sort
/// correctly.
public struct UTCTime: Comparable, Hashable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00 UTC, leap seconds not counted.
  public let secondsSince1970: Int64

  /// The fraction of the second in nanoseconds, 0 to 999,999,999.
  public let nanosecond: UInt32

  /// Whether the time is within second `:60`.
  public let isLeapSecond: Bool

  /// Makes a time from a Unix time; `nanosecond` is limited to 999,999,999.
  public init(secondsSince1970: Int64, nanosecond: UInt32 = 0) {
    self.init(secondsSince1970, nanosecond, isLeapSecond: false)
  }

  private init(_ seconds: Int64, _ nanosecond: UInt32, isLeapSecond: Bool) {
    self.secondsSince1970 = seconds
    self.nanosecond = min(nanosecond, 999_999_999)
    self.isLeapSecond = isLeapSecond
  }

  /// Makes a time from a UTC date and a UTC time of day.
  public init(date: UTCDate, timeOfDay: UTCTimeOfDay) {
    let leap = timeOfDay.second == 60
    let seconds = Int64(timeOfDay.wholeSecondsSinceMidnight) &- (leap ? 1 : 0)
    self.init(
      Int64(date.daysSince1970) &* 86_400 &+ seconds, timeOfDay.nanosecond, isLeapSecond: leap)
  }

  /// The UTC date.
  public var date: UTCDate {
    let day = secondsSince1970 / 86_400 - (secondsSince1970 % 86_400 < 0 ? 1 : 0)
    return UTCDate(daysSince1970: Int32(clamping: day))
  }

  /// The UTC time of day.
  public var timeOfDay: UTCTimeOfDay {
    let remainder = secondsSince1970 % 86_400
    let second = UInt32(remainder < 0 ? remainder + 86_400 : remainder)
    return UTCTimeOfDay(secondsSinceMidnight: second, nanosecond: nanosecond, isLeap: isLeapSecond)
  }

  /// Returns the nanoseconds from the time `other` to this time, negative if `other` is later.
  ///
  /// The difference is clamped to the range of 64 bits (292 years).
  public func nanoseconds(since other: UTCTime) -> Int64 {
    // Every difference fits 128 bits; only the result may be too large.
    let seconds = Int128(secondsSince1970) - Int128(other.secondsSince1970)
    let remainder = Int128(nanosecond) - Int128(other.nanosecond)
    return Int64(clamping: (seconds + leapSeconds(since: other)) * 1_000_000_000 + remainder)
  }

  /// Returns the seconds to add if exactly one of the two times is in a leap second.
  ///
  /// A leap second shares its Unix time with the second before it, so it adds a second to the
  /// distance from an earlier time, but none to the distance from a later time.
  private func leapSeconds(since other: UTCTime) -> Int128 {
    if isLeapSecond == other.isLeapSecond { return 0 }
    if isLeapSecond { return other.secondsSince1970 <= secondsSince1970 ? 1 : 0 }
    return secondsSince1970 <= other.secondsSince1970 ? -1 : 0
  }

  /// Orders by time.
  public static func < (left: UTCTime, right: UTCTime) -> Bool {
    if left.secondsSince1970 != right.secondsSince1970 {
      return left.secondsSince1970 < right.secondsSince1970
    }
    if left.isLeapSecond != right.isLeapSecond { return right.isLeapSecond }
    return left.nanosecond < right.nanosecond
  }
}

extension UTCTime: Codable {
  private enum Key: String, CodingKey { case secondsSince1970, nanosecond, isLeapSecond }

  /// Decodes a time; nanoseconds are limited to 999,999,999.
  ///
  /// - Throws: `DecodingError` if a value is missing or of another type.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    self.init(
      try values.decode(Int64.self, forKey: .secondsSince1970),
      try values.decode(UInt32.self, forKey: .nanosecond),
      isLeapSecond: try values.decodeIfPresent(Bool.self, forKey: .isLeapSecond) ?? false)
  }

  /// Encodes the seconds, the nanoseconds, and whether the time is in a leap second.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(secondsSince1970, forKey: .secondsSince1970)
    try values.encode(nanosecond, forKey: .nanosecond)
    if isLeapSecond { try values.encode(true, forKey: .isLeapSecond) }
  }
}

extension UTCTime {
  /// The time step of reduced accuracy: a quarter of an hour.
  package static let quarterSeconds: Int64 = 900

  /// The start of the quarter of an hour that contains this time.
  package var startOfQuarterHour: UTCTime {
    let remainder = secondsSince1970 % Self.quarterSeconds
    let past = remainder < 0 ? remainder &+ Self.quarterSeconds : remainder
    return UTCTime(secondsSince1970: secondsSince1970 &- past)
  }
}
