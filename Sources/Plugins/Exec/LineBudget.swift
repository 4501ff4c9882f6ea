// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// How many lines of a program get into the log: so many in so many seconds.
struct LineBudget {
  private let limit: Int
  private let nanoseconds: Int64
  private var begin: MonotonicTime?
  private var count = 0
  private var suppressed: UInt64 = 0

  /// Makes a budget that nothing has been taken of.
  init(limit: Int, seconds: Int) {
    self.limit = limit
    nanoseconds = Int64(seconds) * 1_000_000_000
  }

  /// Whether one more line may be told, and how many were not since the last that was.
  mutating func take(now: MonotonicTime) -> (isTold: Bool, suppressed: UInt64) {
    if let begin, now < begin.advanced(byNanoseconds: nanoseconds) {
      count += 1
    } else {
      begin = now
      count = 1
    }
    guard count <= limit else {
      suppressed &+= 1
      return (false, 0)
    }
    defer { suppressed = 0 }
    return (true, suppressed)
  }
}
