// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Detects that the process was paused, so that buffered input may be old.
///
/// After a stop, a suspend or heavy swapping, a burst of input arrives whose true arrival times are
/// unknown. A poll(2) that returns at its timeout is not a pause.
struct StallDetector: Sendable {
  /// The delay above which the process counts as paused.
  static let limitNanoseconds: Int64 = 2_000_000_000
  /// The maximum timeout for poll(2), since a pause during a longer wait would go undetected.
  static let longestWaitMilliseconds: Int32 = 1000

  private var waitEndedAt: MonotonicTime?
  /// The time between the end of the previous wait and the start of the current wait.
  private var gapNanoseconds: Int64 = 0
  private var timeoutAt: MonotonicTime?

  /// Records the start of a wait with a timeout.
  mutating func beginWait(atMostMilliseconds milliseconds: Int32, at now: MonotonicTime) {
    gapNanoseconds = waitEndedAt.map { max(0, now.nanoseconds &- $0.nanoseconds) } ?? 0
    timeoutAt = now.advanced(byNanoseconds: Int64(milliseconds) &* 1_000_000)
  }

  /// Records the end of a wait; returns whether input that is now available may be old.
  mutating func endWait(at now: MonotonicTime) -> Bool {
    waitEndedAt = now
    let late = timeoutAt.map { max(0, now.nanoseconds &- $0.nanoseconds) } ?? 0
    return gapNanoseconds.addingReportingOverflow(late).partialValue > Self.limitNanoseconds
  }

  /// Whether the process was paused after the last wait, so that the input read then may be old.
  func hasStalled(at now: MonotonicTime) -> Bool {
    waitEndedAt.map { now.nanoseconds &- $0.nanoseconds > Self.limitNanoseconds } ?? false
  }
}
