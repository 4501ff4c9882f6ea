// SPDX-License-Identifier: Apache-2.0

/// The time and the report kinds of the last completed epoch.
struct ClosedEpoch: Sendable {
  var time: EpochTime?
  var kinds = ReportKinds()
  /// The time at which the last report of the epoch arrived.
  var receivedAt: MonotonicTime?

  /// Returns whether a report that arrives after the epoch belongs to this epoch.
  ///
  /// `isSoon` is whether the report arrived early in the pause after the epoch.
  func includes(_ report: FixReport, of kind: ReportKind, isSoon: Bool) -> Bool {
    guard let timeOfDay = report.timeOfDay else { return isSoon && !kinds.contains(kind) }
    guard let time else { return false }
    let isNewKind = !kinds.contains(kind)
    guard timeOfDay == time.timeOfDay || (time.isRounded(to: timeOfDay) && isNewKind) else {
      return false
    }
    // A second report of the same kind and time belongs to the epoch if the report arrives early in
    // the pause; gpsd sends such reports. If the report arrives a cycle later, the receiver's clock
    // has stopped.
    return isNewKind || isSoon
  }
}
