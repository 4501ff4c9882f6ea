// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Limits how many receivers a gpsd may report as new, changed or gone: 64 in ten seconds.
///
/// A gpsd has at most a few receivers and says two or three things of each. The window goes on
/// across connections, so that a gpsd that floods every connection does not get 64 in each.
struct GPSDNoticeBudget: Sendable {
  static let limit = 64
  static let windowNanoseconds: Int64 = 10_000_000_000

  private var begin: MonotonicTime?
  private var count = 0

  /// Counts notices; false where they are too many.
  mutating func take(_ notices: Int, at now: MonotonicTime) -> Bool {
    guard notices > 0 else { return true }
    if !isOpen(at: now) { (begin, count) = (now, 0) }
    count += notices
    return count <= Self.limit
  }

  /// Whether too many notices came in the present window.
  func isExceeded(at now: MonotonicTime) -> Bool { isOpen(at: now) && count > Self.limit }

  private func isOpen(at now: MonotonicTime) -> Bool {
    begin.map { now < $0.advanced(byNanoseconds: Self.windowNanoseconds) } ?? false
  }
}
