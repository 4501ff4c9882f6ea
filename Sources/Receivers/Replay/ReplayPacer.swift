// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Calculates when each fix of a recording is due.
///
/// A pacer has no clock. Long gaps are shortened, so that a recording that was paused overnight
/// does not pause the replay. Times that repeat or go back, as at a cold start, cause no wait.
struct ReplayPacer {
  /// The length, in recorded time, to which longer gaps are shortened.
  static let longestGapNanoseconds: Int64 = 10_000_000_000

  private let factor: Double
  private var last: UTCTime?
  /// The recorded time since the start, with shortened gaps.
  private var passedNanoseconds: Int64 = 0

  /// Makes a pacer; `factor` is the number of recorded seconds per second.
  init(factor: Double) { self.factor = factor }

  /// Returns the time at which an event is due, relative to the start of the replay.
  ///
  /// An event without a time is due with the previous event.
  mutating func dueOffset(of time: UTCTime?) -> Duration {
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
