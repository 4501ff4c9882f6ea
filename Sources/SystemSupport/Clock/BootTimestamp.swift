// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The time on a board whose wall clock may be wrong and may jump.
///
/// A board without a battery begins in the past and is put right by its first fix, perhaps in the
/// middle of a grant of two minutes. So a moment carries two clocks: within one boot the time
/// since the boot decides how long ago it was, and only across boots the wall clock does.
public struct BootTimestamp: Hashable, Codable, Sendable {
  /// Seconds since 1970-01-01T00:00:00 UTC, as the wall clock had it.
  public var utcSeconds: Int64
  /// Seconds since the boot, those asleep among them.
  public var bootSeconds: Int64
  /// Which boot; `nil` where the kernel does not tell.
  public var boot: String?

  /// Makes a moment.
  ///
  /// - Parameters:
  ///   - utcSeconds: Seconds since 1970, UTC.
  ///   - bootSeconds: Seconds since the boot.
  ///   - boot: Which boot.
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

  /// The kernel's identifier of this boot; `nil` where /proc does not have it.
  package static let bootID: String? = BoundedFile.text("/proc/sys/kernel/random/boot_id")
    .flatMap { $0.split(separator: "\n").first.map(String.init) }

  /// How long ago another moment was.
  ///
  /// - Parameter other: The other moment.
  /// - Returns: Seconds; `nil` where the wall clock is before it, so that one of the two readings
  ///   must have been wrong.
  public func seconds(since other: BootTimestamp) -> Int64? {
    let isSameBoot = boot != nil && boot == other.boot
    let (elapsed, overflow) =
      isSameBoot
      ? bootSeconds.subtractingReportingOverflow(other.bootSeconds)
      : utcSeconds.subtractingReportingOverflow(other.utcSeconds)
    return overflow || elapsed < 0 ? nil : elapsed
  }

  /// The moment that many seconds later in the same boot.
  ///
  /// - Parameter seconds: How much later.
  /// - Returns: The sum, clamped to what 64 bits hold.
  public func advanced(bySeconds seconds: Int64) -> BootTimestamp {
    func sum(_ value: Int64) -> Int64 {
      let (sum, overflow) = value.addingReportingOverflow(seconds)
      return overflow ? (seconds < 0 ? .min : .max) : sum
    }
    return BootTimestamp(utcSeconds: sum(utcSeconds), bootSeconds: sum(bootSeconds), boot: boot)
  }
}
