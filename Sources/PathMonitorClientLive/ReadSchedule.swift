// SPDX-License-Identifier: Apache-2.0

/// Debounces change notifications: a read is due after a quiet period, or at the latest after a
/// limit.
///
/// Times are in nanoseconds of a monotonic clock.
struct ReadSchedule: Equatable, Sendable {
  let quiet: UInt64
  let limit: UInt64
  private var first: UInt64?
  private(set) var deadline: UInt64?

  init(quietNanoseconds: UInt64 = 50_000_000, limitNanoseconds: UInt64 = 1_000_000_000) {
    quiet = quietNanoseconds
    limit = limitNanoseconds
  }

  /// Records a change, or lost notifications.
  mutating func changed(at now: UInt64) {
    let first = first ?? now
    self.first = first
    deadline = min(now &+ quiet, first &+ limit)
  }

  /// Returns whether a read is due; if so, clears the schedule.
  mutating func takeDue(at now: UInt64) -> Bool {
    guard let deadline, now >= deadline else { return false }
    clear()
    return true
  }

  /// Clears the schedule, before a read.
  mutating func clear() {
    deadline = nil
    first = nil
  }
}
