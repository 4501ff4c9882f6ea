// SPDX-License-Identifier: Apache-2.0

/// A UTC date from a sentence.
public struct CalendarDate: Equatable, Hashable, Sendable {
  /// The full year.
  ///
  /// Two digits are expanded as gpsd does: 69 to 99 are 19xx, 00 to 68 are 20xx.
  public var year: UInt16
  /// 1 to 12.
  public var month: UInt8
  /// 1 to 31.
  ///
  /// The day may not exist in the month, such as 31 February.
  public var day: UInt8

  /// Makes a date; the caller must ensure that all values are in range.
  public init(year: UInt16, month: UInt8, day: UInt8) {
    self.year = year
    self.month = month
    self.day = day
  }
}
