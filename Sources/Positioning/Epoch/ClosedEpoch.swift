// SPDX-License-Identifier: Apache-2.0

/// The time of the epoch that was completed last, and what it was made of.
struct ClosedEpoch: Sendable {
  var time: EpochTime?
  var kinds = ReportKinds()
  var at: MonotonicTime?

  /// Whether a report that comes after the epoch belongs to it.
  ///
  /// `isSoon` is whether it came well within the pause after the epoch.
  func owns(_ report: FixReport, of kind: ReportKind, isSoon: Bool) -> Bool {
    // Without a time, only how soon it follows tells.
    guard let timeOfDay = report.timeOfDay else { return isSoon && !kinds.contains(kind) }
    guard let time else { return false }
    let isNewKind = !kinds.contains(kind)
    guard timeOfDay == time.timeOfDay || (time.isRounded(to: timeOfDay) && isNewKind) else {
      return false
    }
    // The same statement about the same time: soon after, there are more of them than was learnt
    // (gpsd's habit); a cycle later, the receiver's clock stands still.
    return isNewKind || isSoon
  }
}
