// SPDX-License-Identifier: Apache-2.0

/// A UTC date as a sentence states it.
public struct CalendarDate: Equatable, Hashable, Sendable {
  /// The full year.
  ///
  /// Two digits are widened as gpsd does: 69 to 99 are 19xx, the rest 20xx.
  public var year: UInt16
  /// 1 to 12.
  public var month: UInt8
  /// 1 to 31.
  ///
  /// Whether the month has that day is for whoever owns a calendar to say.
  public var day: UInt8

  /// Makes a date; the caller vouches for the ranges.
  ///
  /// - Parameters:
  ///   - year: The full year.
  ///   - month: 1 to 12.
  ///   - day: 1 to 31.
  public init(year: UInt16, month: UInt8, day: UInt8) {
    self.year = year
    self.month = month
    self.day = day
  }
}
