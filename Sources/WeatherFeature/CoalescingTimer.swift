// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The deadline of a timer that is rescheduled often.
///
/// A running timer is replaced only if the new deadline is earlier. When the timer fires, the owner
/// schedules another wait if necessary. Restarting the timer for every location would cause a
/// wakeup for every location.
struct CoalescingTimer {
  /// The minimum duration of a wait; deadlines that differ by less are treated as equal.
  static let minSeconds = 0.001
  private var end: MonotonicTime?

  /// Schedules a wait.
  ///
  /// Returns the duration of a new wait, which replaces the running wait, or `nil` if the running
  /// wait ends early enough.
  mutating func begin(_ seconds: Double, at now: MonotonicTime) -> Duration? {
    let seconds = max(seconds, Self.minSeconds)
    let newEnd = now.advanced(bySeconds: seconds)
    if let end, end <= newEnd.advanced(bySeconds: Self.minSeconds) { return nil }
    end = newEnd
    return .seconds(seconds)
  }

  /// Records that the wait has ended.
  mutating func clear() { end = nil }
}
