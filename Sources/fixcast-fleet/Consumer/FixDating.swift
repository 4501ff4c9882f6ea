// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol

/// Estimates the times of fixes from boards without a date, or with one in the future.
///
/// A time is estimated from a fix of the same boot with a time, or else from the arrival of the
/// batch, whose last fix then has the time of the arrival.
struct FixDating: Sendable {
  private struct Boot: Sendable {
    var id: String
    /// The Unix time minus `CLOCK_BOOTTIME`, in milliseconds.
    var offset: Int64
  }

  /// The longest time after the arrival of a message that a fix in it may have.
  ///
  /// A fix with a later time would be in no month that has a partition.
  private static let maxFutureMilliseconds: Int64 = 86_400_000

  private var boots: [FleetBoardID: Boot] = [:]

  /// Returns the time of a fix; `nil` if it is unknown, or more than a day after the arrival.
  static func time(of fix: FleetFix, arrivalMilliseconds: Int64) -> Int64? {
    fix.timeMilliseconds.flatMap { time in
      time - maxFutureMilliseconds <= arrivalMilliseconds ? time : nil
    }
  }

  /// Returns the Unix time of each fix in milliseconds, and whether it is an estimate.
  mutating func times(
    of batch: FleetBatch, arrivalMilliseconds: Int64
  ) -> [(milliseconds: Int64, isEstimated: Bool)] {
    let fixes = batch.entries.map(\.fix)
    let times = fixes.map { Self.time(of: $0, arrivalMilliseconds: arrivalMilliseconds) }
    let offsets = fixes.indices.map { index in
      times[index].flatMap { time in fixes[index].bootMilliseconds.map { time - $0 } }
    }
    if let offset = offsets.last(where: { $0 != nil }) ?? nil, let id = batch.boot {
      boots[batch.board] = Boot(id: id, offset: offset)
    }
    let known = batch.boot.flatMap { id in boots[batch.board].flatMap { $0.id == id ? $0 : nil } }
    let lastBoot = fixes.last { $0.bootMilliseconds != nil }?.bootMilliseconds
    // The next known offset counts for the fixes before it.
    var next = [Int64?](repeating: nil, count: fixes.count)
    var following: Int64?
    for index in fixes.indices.reversed() {
      following = offsets[index] ?? following
      next[index] = following
    }
    var last: Int64?
    return fixes.indices.map { index in
      last = offsets[index] ?? last
      let fix = fixes[index]
      if let time = times[index] { return (time, false) }
      guard let boot = fix.bootMilliseconds else { return (arrivalMilliseconds, true) }
      let offset = last ?? next[index] ?? known?.offset ?? arrivalMilliseconds - (lastBoot ?? boot)
      return (Self.time(boot, offset, arrivalMilliseconds: arrivalMilliseconds), true)
    }
  }

  /// Returns the sum as the time of a fix; the arrival if it is not a time that the wire format
  /// allows, or more than a day after the arrival.
  private static func time(
    _ boot: Int64, _ offset: Int64, arrivalMilliseconds: Int64
  ) -> Int64 {
    let (time, overflows) = boot.addingReportingOverflow(offset)
    let isPossible =
      !overflows && FleetFix.times.contains(time)
      && time - maxFutureMilliseconds <= arrivalMilliseconds
    return isPossible ? time : arrivalMilliseconds
  }
}
