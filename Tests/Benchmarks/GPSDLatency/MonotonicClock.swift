// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The clock that all processes of a measurement share.
enum MonotonicClock {
  /// `CLOCK_MONOTONIC` in nanoseconds.
  static func nanoseconds() -> Int64 {
    var time = timespec()
    _ = clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Sleeps until the clock shows that much, at once where it does already.
  static func sleep(untilNanoseconds nanoseconds: Int64) {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
