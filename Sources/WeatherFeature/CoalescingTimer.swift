// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A wait for something that is put off again and again: one that ends earlier stands, and whoever
/// waits looks again when it is over.
///
/// Begun anew with each location it would cost a board a wakeup for each.
struct CoalescingTimer {
  /// The least that is waited: two clocks may differ by less than they tell.
  static let leastSeconds = 0.001
  private var end: MonotonicTime?

  /// Wants to wait.
  ///
  /// Returns the length of the wait to begin in place of the one before; `nil` where that ends no
  /// later.
  mutating func begin(_ seconds: Double, at now: MonotonicTime) -> Duration? {
    let seconds = max(seconds, Self.leastSeconds)
    let wanted = now.advanced(bySeconds: seconds)
    if let end, end <= wanted.advanced(bySeconds: Self.leastSeconds) { return nil }
    end = wanted
    return .seconds(seconds)
  }

  /// The wait is over.
  mutating func clear() { end = nil }
}
