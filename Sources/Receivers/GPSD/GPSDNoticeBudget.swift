// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Limits gpsd's notices about new, changed or removed receivers to 64 in ten seconds.
///
/// A real gpsd serves a few receivers and sends two or three notices for each. The window
/// continues across connections, so reconnecting does not reset the limit.
struct GPSDNoticeBudget: Sendable {
  static let limit = 64
  static let windowNanoseconds: Int64 = 10_000_000_000

  private var windowStart: MonotonicTime?
  private var count = 0

  /// Counts notices; returns false if the limit is exceeded.
  mutating func take(_ notices: Int, at now: MonotonicTime) -> Bool {
    guard notices > 0 else { return true }
    if !isWindowOpen(at: now) { (windowStart, count) = (now, 0) }
    count += notices
    return count <= Self.limit
  }

  /// Whether the current window has exceeded the limit.
  func isExceeded(at now: MonotonicTime) -> Bool { isWindowOpen(at: now) && count > Self.limit }

  private func isWindowOpen(at now: MonotonicTime) -> Bool {
    windowStart.map { now < $0.advanced(byNanoseconds: Self.windowNanoseconds) } ?? false
  }
}
