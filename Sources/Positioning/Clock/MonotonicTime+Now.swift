// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc

  extension MonotonicTime {
    /// The present reading of `CLOCK_BOOTTIME`, the one clock that everything is stamped by.
    ///
    /// It counts while the board is suspended, as `ContinuousClock` does: a fix from before a
    /// suspend is old after it.
    public static func now() -> MonotonicTime {
      var time = timespec()
      // Cannot fail: the clock exists on every Linux since 2.6.39 and the pointer is good.
      _ = clock_gettime(CLOCK_BOOTTIME, &time)
      return MonotonicTime(
        nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
  }
#endif
