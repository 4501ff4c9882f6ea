// SPDX-License-Identifier: Apache-2.0

/// The time of an epoch, and the talker that stated this time first.
struct EpochTime: Sendable {
  /// The largest difference between times of one epoch, as in gpsd.
  static let maxRoundingNanoseconds: Int64 = 10_000_000

  /// The age up to which another talker's position is outdated; an older position begins an epoch.
  static let maxOutdatedNanoseconds: Int64 = 5_000_000_000

  var timeOfDay: UTCTimeOfDay
  /// `nil` if the source has only one talker.
  var talker: UInt16?

  /// Returns whether this time and another time differ only by rounding.
  func isRounded(to other: UTCTimeOfDay) -> Bool {
    other.nanoseconds(since: timeOfDay).magnitude <= Self.maxRoundingNanoseconds
  }

  /// Returns whether a report is about an earlier epoch.
  ///
  /// Multiplexers repeat positions of another talker that are some seconds old; such positions are
  /// outdated. A position of the same talker with an earlier time is not outdated, because the
  /// talker's clock may have been set back, for example when the talker received the number of
  /// leap seconds. An error estimate with an earlier time is always outdated.
  func isAfter(_ report: FixReport) -> Bool {
    guard report.beginsEpoch, let time = report.timeOfDay else { return false }
    let age = timeOfDay.nanoseconds(since: time)
    guard age > Self.maxRoundingNanoseconds else { return false }
    guard report.concernsSolution else { return true }
    guard let other = report.talker, let talker, other != talker else { return false }
    return age < Self.maxOutdatedNanoseconds
  }
}
