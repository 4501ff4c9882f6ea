// SPDX-License-Identifier: Apache-2.0

/// A reading of a monotonic clock, in nanoseconds since an arbitrary origin.
///
/// Use a monotonic clock to compute ages: the wall clock of a board without a battery jumps with
/// the first fix.
public struct MonotonicTime: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's origin.
  public let nanoseconds: Int64

  /// Makes a reading of a clock.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Returns the seconds from the reading `other` to this reading, negative if `other` is later.
  ///
  /// Both readings must be of the same clock.
  public func seconds(since other: MonotonicTime) -> Double {
    Double(nanoseconds &- other.nanoseconds) / 1e9
  }

  /// Returns this time plus a number of nanoseconds, clamped to the range of 64 bits.
  public func advanced(byNanoseconds nanoseconds: Int64) -> MonotonicTime {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return MonotonicTime(nanoseconds: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
  }

  /// Returns this time plus a number of seconds, which is limited to a century.
  ///
  /// A negative number or NaN adds nothing.
  package func advanced(bySeconds seconds: Double) -> MonotonicTime {
    guard seconds > 0 else { return self }
    return advanced(byNanoseconds: Int64(min(seconds, 3_155_760_000) * 1e9))
  }

  /// Orders by time.
  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}

#if canImport(Glibc)
  internal import Glibc

  extension MonotonicTime {
    /// Returns the current reading of `CLOCK_BOOTTIME`, the clock of all timestamps in Fixcast.
    ///
    /// The clock also runs while the board is suspended, as `ContinuousClock` does, so a fix ages
    /// during a suspend.
    public static func now() -> MonotonicTime {
      var time = timespec()
      // Cannot fail: Linux has had this clock since 2.6.39, and the pointer is valid.
      _ = clock_gettime(CLOCK_BOOTTIME, &time)
      return MonotonicTime(
        nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
  }
#endif
