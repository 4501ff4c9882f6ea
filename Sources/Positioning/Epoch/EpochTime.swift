// SPDX-License-Identifier: Apache-2.0

/// The time of an epoch, with the talker that stated it first.
struct EpochTime: Sendable {
  /// The largest difference between times of one epoch, as in gpsd.
  static let maxRoundingNanoseconds: Int64 = 10_000_000

  /// The age from which another talker's position begins an epoch.
  static let minNewsNanoseconds: Int64 = 5_000_000_000

  var timeOfDay: UTCTimeOfDay
  /// `nil` where the source has only one.
  var talker: UInt16?

  /// Whether a time differs from this one by no more than rounding.
  func isRounded(to other: UTCTimeOfDay) -> Bool {
    other.nanoseconds(since: timeOfDay).magnitude <= Self.maxRoundingNanoseconds
  }

  /// Whether a report is about an earlier epoch.
  ///
  /// Multiplexers send positions of another talker again, some seconds old. The same talker's clock
  /// may be set back, as when it learns the leap seconds. An error estimate alone shows neither.
  func isAfter(_ report: FixReport) -> Bool {
    guard report.beginsEpoch, let time = report.timeOfDay else { return false }
    let age = timeOfDay.nanoseconds(since: time)
    guard age > Self.maxRoundingNanoseconds else { return false }
    guard report.hasSolution != nil else { return true }
    guard let other = report.talker, let talker, other != talker else { return false }
    return age < Self.minNewsNanoseconds
  }
}
