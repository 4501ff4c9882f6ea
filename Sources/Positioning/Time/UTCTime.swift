// SPDX-License-Identifier: Apache-2.0

/// A moment in UTC to the nanosecond that can also name a leap second.
///
/// Unix time has no number for 23:59:60; receivers do send it. Inside a leap second
/// ``secondsSince1970`` is that of 23:59:59 and ``isLeapSecond`` is true, so times still sort.
public struct UTCTime: Comparable, Hashable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00 UTC, leap seconds not counted.
  public let secondsSince1970: Int64

  /// The rest, 0 to 999,999,999.
  public let nanosecond: UInt32

  /// Whether this is in the second named `:60`.
  public let isLeapSecond: Bool

  /// Makes a moment out of a Unix time.
  ///
  /// - Parameters:
  ///   - secondsSince1970: Whole seconds.
  ///   - nanosecond: The rest; more than 999,999,999 counts as 999,999,999.
  public init(secondsSince1970: Int64, nanosecond: UInt32 = 0) {
    self.init(secondsSince1970, nanosecond, isLeapSecond: false)
  }

  private init(_ seconds: Int64, _ nanosecond: UInt32, isLeapSecond: Bool) {
    self.secondsSince1970 = seconds
    self.nanosecond = min(nanosecond, 999_999_999)
    self.isLeapSecond = isLeapSecond
  }

  /// Makes a moment out of a date and a time of day.
  ///
  /// - Parameters:
  ///   - date: The UTC date.
  ///   - timeOfDay: The UTC time of day.
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
    let rest = secondsSince1970 % 86_400
    let second = UInt32(rest < 0 ? rest + 86_400 : rest)
    return UTCTimeOfDay(secondsSinceMidnight: second, nanosecond: nanosecond, isLeap: isLeapSecond)
  }

  /// Nanoseconds from another moment to this one, negative where this one is earlier.
  ///
  /// - Parameter other: The moment to count from.
  /// - Returns: The difference, clamped to what 64 bits hold (292 years).
  public func nanoseconds(since other: UTCTime) -> Int64 {
    // 128 bits hold every difference; only the result may be too large.
    let seconds = Int128(secondsSince1970) - Int128(other.secondsSince1970)
    let rest = Int128(nanosecond) - Int128(other.nanosecond)
    return Int64(clamping: (seconds + leapSeconds(since: other)) * 1_000_000_000 + rest)
  }

  /// What a leap second adds: it lies a second behind the one whose number it shares, and only
  /// for what comes before it.
  ///
  /// What comes after has the next number already.
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

  /// Reads a moment; a fraction too large counts as the largest there is.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError` where a part is missing or no number of its kind.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    self.init(
      try values.decode(Int64.self, forKey: .secondsSince1970),
      try values.decode(UInt32.self, forKey: .nanosecond),
      isLeapSecond: try values.decodeIfPresent(Bool.self, forKey: .isLeapSecond) ?? false)
  }

  /// Writes the seconds, the rest, and whether it is a leap second.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: What the encoder throws.
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

  /// The beginning of its quarter of an hour.
  package var beginningOfQuarter: UTCTime {
    let rest = secondsSince1970 % Self.quarterSeconds
    let past = rest < 0 ? rest &+ Self.quarterSeconds : rest
    return UTCTime(secondsSince1970: secondsSince1970 &- past)
  }
}
