// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Says when each fix of a recording is due.
///
/// A plain value: it knows the recorded times and no clock. Gaps are cut short, since a log that
/// was paused over night should not pause the replay; and time that repeats or goes back, as it
/// does at a cold start, waits for nothing.
struct ReplayPacer {
  /// The longest recorded gap that is waited for, in nanoseconds.
  static let longestGapNanoseconds: Int64 = 10_000_000_000

  private let factor: Double
  private var last: UTCTime?
  /// Recorded time that has passed, gaps cut short.
  private var passedNanoseconds: Int64 = 0

  /// Makes a pacer at the start of a recording.
  ///
  /// - Parameter factor: How many recorded seconds pass in one.
  init(factor: Double) { self.factor = factor }

  /// When an event is due, counted from the start of the replay.
  mutating func due(_ time: UTCTime?) -> Duration {
    if let time {
      if let last {
        let gap = time.nanoseconds(since: last)
        passedNanoseconds &+= max(0, min(gap, Self.longestGapNanoseconds))
      }
      last = time
    }
    return .seconds(Double(passedNanoseconds) / 1e9 / factor)
  }
}
