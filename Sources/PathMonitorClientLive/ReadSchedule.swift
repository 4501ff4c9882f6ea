// SPDX-License-Identifier: Apache-2.0

/// When to read everything again after changes were told: once it is quiet, but not too late.
///
/// Times are nanoseconds of any clock that does not jump.
struct ReadSchedule: Equatable, Sendable {
  let quiet: UInt64
  let limit: UInt64
  private var first: UInt64?
  private(set) var deadline: UInt64?

  init(quietNanoseconds: UInt64 = 50_000_000, limitNanoseconds: UInt64 = 1_000_000_000) {
    quiet = quietNanoseconds
    limit = limitNanoseconds
  }

  /// Takes note of a change, or of changes that were lost.
  mutating func changed(at now: UInt64) {
    let first = first ?? now
    self.first = first
    deadline = min(now &+ quiet, first &+ limit)
  }

  /// Whether it is time; if so, the schedule is empty again.
  mutating func takeDue(at now: UInt64) -> Bool {
    guard let deadline, now >= deadline else { return false }
    clear()
    return true
  }

  /// Forgets the changes: they are about to be read.
  mutating func clear() {
    deadline = nil
    first = nil
  }
}
