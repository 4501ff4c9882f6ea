// SPDX-License-Identifier: Apache-2.0

/// A UTC time of day with nanoseconds, including leap seconds.
public struct UTCTimeOfDay: Comparable, Hashable, Sendable {
  /// 0 to 23.
  public let hour: UInt8
  /// 0 to 59.
  public let minute: UInt8
  /// 0 to 60; 60 is a leap second.
  public let second: UInt8
  /// 0 to 999,999,999.
  public let nanosecond: UInt32

  /// Makes a time of day; `nil` if a value is out of range.
  ///
  /// - Parameters:
  ///   - hour: 0 to 23.
  ///   - minute: 0 to 59.
  ///   - second: 0 to 60.
  ///   - nanosecond: 0 to 999,999,999.
  public init?(hour: UInt8, minute: UInt8, second: UInt8, nanosecond: UInt32 = 0) {
    guard hour < 24, minute < 60, second <= 60, nanosecond < 1_000_000_000 else { return nil }
    self.hour = hour
    self.minute = minute
    self.second = second
    self.nanosecond = nanosecond
  }

  /// Makes a time of day from the seconds since midnight, modulo one day.
  ///
  /// Nanoseconds are limited to 999,999,999.
  init(secondsSinceMidnight: UInt32, nanosecond: UInt32, isLeap: Bool) {
    let seconds = secondsSinceMidnight % 86_400
    hour = UInt8(truncatingIfNeeded: seconds / 3600)
    minute = UInt8(truncatingIfNeeded: seconds / 60 % 60)
    second = isLeap ? 60 : UInt8(truncatingIfNeeded: seconds % 60)
    self.nanosecond = min(nanosecond, 999_999_999)
  }

  /// Whole seconds since midnight, 0 to 86,400; 86,400 only in a leap second.
  public var wholeSecondsSinceMidnight: UInt32 {
    UInt32(hour) &* 3600 &+ UInt32(minute) &* 60 &+ UInt32(second)
  }

  /// Nanoseconds since midnight, below 86,401 seconds.
  public var nanosecondsSinceMidnight: Int64 {
    Int64(wholeSecondsSinceMidnight) &* 1_000_000_000 &+ Int64(nanosecond)
  }

  /// Returns the nanoseconds from another time of day to this time, from -12 to 12 hours.
  func nanoseconds(since other: UTCTimeOfDay) -> Int64 {
    let day: Int64 = 86_400_000_000_000
    let difference = nanosecondsSinceMidnight &- other.nanosecondsSinceMidnight
    if difference > day / 2 { return difference &- day }
    return difference < -day / 2 ? difference &+ day : difference
  }

  /// Orders by time.
  public static func < (left: UTCTimeOfDay, right: UTCTimeOfDay) -> Bool {
    left.nanosecondsSinceMidnight < right.nanosecondsSinceMidnight
  }
}
