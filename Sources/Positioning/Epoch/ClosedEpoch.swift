// SPDX-License-Identifier: Apache-2.0

/// The time and the report kinds of the last completed epoch.
struct ClosedEpoch: Sendable {
  var time: EpochTime?
  var kinds = ReportKinds()
  var at: MonotonicTime?

  /// Returns whether a report that arrives after the epoch belongs to it.
  ///
  /// `isSoon` is whether the report arrived early in the pause after the epoch.
  func includes(_ report: FixReport, of kind: ReportKind, isSoon: Bool) -> Bool {
    guard let timeOfDay = report.timeOfDay else { return isSoon && !kinds.contains(kind) }
    guard let time else { return false }
    let isNewKind = !kinds.contains(kind)
    guard timeOfDay == time.timeOfDay || (time.isRounded(to: timeOfDay) && isNewKind) else {
      return false
    }
    // The same kind of report with the same time: early in the pause it is a further report of the
    // epoch, as gpsd sends them; a cycle later the receiver's clock has stopped.
    return isNewKind || isSoon
  }
}
