// SPDX-License-Identifier: Apache-2.0

/// The time of an epoch, with the talker that stated it first.
struct EpochTime: Sendable {
  /// The largest difference between times of one epoch, as in gpsd.
  static let maxRoundingNanoseconds: Int64 = 10_000_000

  /// The age from which a position of another talker is news and no repetition.
  static let minNewsNanoseconds: Int64 = 5_000_000_000

  var timeOfDay: UTCTimeOfDay
  /// `nil` where the source has only one.
  var talker: UInt16?

  /// Whether a time differs from this one by no more than rounding.
  func isRounded(to other: UTCTimeOfDay) -> Bool {
    other.nanoseconds(since: timeOfDay).magnitude <= Self.maxRoundingNanoseconds
  }

  /// Whether another talker repeats a position from shortly before this time.
  ///
  /// Multiplexers send positions again that are some seconds old. The same talker's clock may be
  /// set back, as when it learns the leap seconds.
  func isAfterRepetition(_ report: FixReport) -> Bool {
    guard report.beginsEpoch, let time = report.timeOfDay, let other = report.talker, let talker,
      other != talker
    else { return false }
    let age = timeOfDay.nanoseconds(since: time)
    return age > Self.maxRoundingNanoseconds && age < Self.minNewsNanoseconds
  }
}
