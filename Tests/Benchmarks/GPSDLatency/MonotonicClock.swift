// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The common clock of all processes of a measurement.
enum MonotonicClock {
  /// Returns `CLOCK_MONOTONIC` in nanoseconds.
  static func nanoseconds() -> Int64 {
    var time = timespec()
    _ = clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Sleeps until a time; returns at once if the time has passed.
  static func sleep(untilNanoseconds nanoseconds: Int64) {
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
