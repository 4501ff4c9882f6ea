// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Decides whether what waits in a port may be old, because the program did not look for long.
///
/// A stopped, suspended or swapped-out program finds a burst that has no times of arrival. A wait
/// as long as was asked for is none: an idle line is looked at all the while.
struct StallDetector: Sendable {
  static let limitNanoseconds: Int64 = 2_000_000_000
  /// No wait is longer, or a stop would hide in it.
  static let longestWaitMilliseconds: Int32 = 1000

  private var lookedAt: MonotonicTime?
  private var awayNanoseconds: Int64 = 0
  private var endsAt: MonotonicTime?

  /// A wait begins.
  mutating func waits(atMostMilliseconds milliseconds: Int32, at now: MonotonicTime) {
    awayNanoseconds = lookedAt.map { max(0, now.nanoseconds &- $0.nanoseconds) } ?? 0
    endsAt = now.advanced(byNanoseconds: Int64(milliseconds) &* 1_000_000)
  }

  /// The wait is over.
  ///
  /// Returns whether what is there may be too old to be given the present time.
  mutating func looks(at now: MonotonicTime) -> Bool {
    lookedAt = now
    let late = endsAt.map { max(0, now.nanoseconds &- $0.nanoseconds) } ?? 0
    return awayNanoseconds.addingReportingOverflow(late).partialValue > Self.limitNanoseconds
  }

  /// Whether so long has passed since the look that what was read after it may be old too.
  func hasStood(at now: MonotonicTime) -> Bool {
    lookedAt.map { now.nanoseconds &- $0.nanoseconds > Self.limitNanoseconds } ?? false
  }
}
