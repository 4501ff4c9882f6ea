// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A timestamp for a board whose wall clock may be wrong and may jump.
///
/// A board without a battery starts with a date in the past, and the first fix corrects the date.
/// A timestamp therefore contains the times of two clocks: ages within one boot are computed from
/// the time since boot, and ages across boots from the wall clock.
public struct BootTimestamp: Hashable, Codable, Sendable {
  /// The wall clock in seconds since 1970-01-01T00:00:00 UTC.
  public var utcSeconds: Int64
  /// Seconds since boot, including time in suspend.
  public var bootSeconds: Int64
  /// The kernel's identifier of the boot; `nil` if unknown.
  public var boot: String?

  /// Makes a timestamp.
  public init(utcSeconds: Int64, bootSeconds: Int64, boot: String?) {
    self.utcSeconds = utcSeconds
    self.bootSeconds = bootSeconds
    self.boot = boot
  }

  /// Reads both clocks.
  public static func now() -> BootTimestamp {
    BootTimestamp(
      utcSeconds: SystemClock.utcNow().secondsSince1970,
      bootSeconds: MonotonicTime.now().nanoseconds / 1_000_000_000, boot: bootID)
  }

  /// The kernel's identifier of this boot; `nil` if /proc does not contain it.
  package static let bootID: String? = BoundedFile.text("/proc/sys/kernel/random/boot_id")
    .flatMap { $0.split(separator: "\n").first.map(String.init) }

  /// Returns the seconds since another timestamp.
  ///
  /// Returns `nil` if this timestamp is earlier, because one of the timestamps is then wrong.
  public func seconds(since other: BootTimestamp) -> Int64? {
    let isSameBoot = boot != nil && boot == other.boot
    let (elapsed, overflow) =
      isSameBoot
      ? bootSeconds.subtractingReportingOverflow(other.bootSeconds)
      : utcSeconds.subtractingReportingOverflow(other.utcSeconds)
    return overflow || elapsed < 0 ? nil : elapsed
  }

  /// Returns the timestamp plus a number of seconds within the same boot, clamped to 64 bits.
  public func advanced(bySeconds seconds: Int64) -> BootTimestamp {
    func sum(_ value: Int64) -> Int64 {
      let (sum, overflow) = value.addingReportingOverflow(seconds)
      return overflow ? (seconds < 0 ? .min : .max) : sum
    }
    return BootTimestamp(utcSeconds: sum(utcSeconds), bootSeconds: sum(bootSeconds), boot: boot)
  }
}
