// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

extension BootTimestamp {
  /// 2024-01-01 in UTC; a clock that shows an earlier time has not been set since power-on.
  private static let firstPlausibleUTCSeconds: Int64 = 1_704_067_200

  /// Returns the seconds since another timestamp, or `nil` if the number cannot be determined.
  ///
  /// A board without a clock battery writes timestamps of 1970 until the clock is set. After a
  /// reboot, such a timestamp would appear to be decades old, and every back-off would have
  /// expired. The method therefore returns `nil` for timestamps that were written in another boot
  /// and are earlier than 2024.
  func plausibleSeconds(since other: BootTimestamp) -> Int64? {
    let isSameBoot = boot != nil && boot == other.boot
    guard isSameBoot || other.utcSeconds >= Self.firstPlausibleUTCSeconds else { return nil }
    return seconds(since: other)
  }

  /// Returns the same moment as a timestamp of the current boot.
  ///
  /// Intervals since the returned timestamp are measured with the boot clock, so that correcting
  /// the wall clock by days does not end a back-off or reset a daily limit.
  ///
  /// - Parameter now: The current time.
  /// - Returns: The timestamp, or `nil` if the elapsed time cannot be determined.
  func rebased(to now: BootTimestamp) -> BootTimestamp? {
    guard let elapsed = now.plausibleSeconds(since: self) else { return nil }
    let moment = now.advanced(bySeconds: -elapsed)
    // Keep the old timestamp if the clocks differ by at most a minute, to avoid a disk write.
    let isSame = moment.boot == boot && (moment.utcSeconds &- utcSeconds).magnitude <= 60
    return isSame ? self : moment
  }
}
