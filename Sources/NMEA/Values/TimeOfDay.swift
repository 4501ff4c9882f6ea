// SPDX-License-Identifier: Apache-2.0

/// A UTC time of day from a sentence: `hhmmss` and any fraction.
public struct TimeOfDay: Equatable, Hashable, Sendable {
  /// 0 to 23.
  public var hour: UInt8
  /// 0 to 59.
  public var minute: UInt8
  /// 0 to 60; 60 is a leap second.
  public var second: UInt8
  /// 0 to 999,999,999; digits beyond the ninth are cut off.
  public var nanosecond: UInt32

  /// Makes a time of day; the caller must ensure that all values are in range.
  public init(hour: UInt8, minute: UInt8, second: UInt8, nanosecond: UInt32 = 0) {
    self.hour = hour
    self.minute = minute
    self.second = second
    self.nanosecond = nanosecond
  }
}
