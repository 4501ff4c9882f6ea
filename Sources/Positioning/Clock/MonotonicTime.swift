// SPDX-License-Identifier: Apache-2.0

/// A reading of a clock that never jumps, in nanoseconds since an origin of its own.
///
/// Ages are differences of these: the wall clock of a board without a battery jumps when the
/// first fix sets it.
public struct MonotonicTime: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's origin.
  public let nanoseconds: Int64

  /// Makes a reading.
  ///
  /// - Parameter nanoseconds: Nanoseconds since the clock's origin.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Seconds from another reading of the same clock to this one.
  ///
  /// - Parameter other: The reading to count from.
  /// - Returns: The difference, negative where this one is earlier.
  public func seconds(since other: MonotonicTime) -> Double {
    Double(nanoseconds &- other.nanoseconds) / 1e9
  }

  /// The reading that many nanoseconds later.
  ///
  /// - Parameter nanoseconds: How much later.
  /// - Returns: The sum, clamped to what 64 bits hold.
  public func advanced(byNanoseconds nanoseconds: Int64) -> MonotonicTime {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return MonotonicTime(nanoseconds: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
  }

  /// The reading that many seconds later, a century at most; the same for a negative number or NaN.
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
