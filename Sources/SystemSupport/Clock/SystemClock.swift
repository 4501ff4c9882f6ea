// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning

/// The board's wall clock, for what needs a date and can live with a wrong one.
public enum SystemClock {
  /// The present time, as far as the board knows it.
  ///
  /// - Returns: UTC.
  public static func utcNow() -> UTCTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UTCTime(
      secondsSince1970: Int64(time.tv_sec), nanosecond: UInt32(clamping: time.tv_nsec))
  }
}
