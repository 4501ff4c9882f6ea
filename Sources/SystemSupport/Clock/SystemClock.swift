// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning

/// The board's wall clock, which may be wrong; use this clock only where a date is needed.
public enum SystemClock {
  /// Returns the current UTC time of the wall clock.
  public static func utcNow() -> UTCTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UTCTime(
      secondsSince1970: Int64(time.tv_sec), nanosecond: UInt32(clamping: time.tv_nsec))
  }
}
