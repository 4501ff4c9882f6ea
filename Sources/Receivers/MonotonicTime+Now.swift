// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Positioning

extension MonotonicTime {
  /// The present reading of the clock by which all receivers stamp what arrives.
  ///
  /// It counts while the board is suspended, as `ContinuousClock` does: a fix from before a
  /// suspend is old after it.
  ///
  /// - Returns: The reading.
  public static func now() -> MonotonicTime {
    var time = timespec()
    // Cannot fail: the clock exists on every Linux since 2.6.39 and the pointer is good.
    _ = clock_gettime(CLOCK_BOOTTIME, &time)
    return MonotonicTime(
      nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }
}
