// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

extension BootTimestamp {
  /// 2024-01-01: an earlier wall-clock time means that the clock has not been set since power-on.
  private static let firstPlausibleUTCSeconds: Int64 = 1_704_067_200

  /// Returns the seconds since another timestamp, or `nil` if they cannot be determined.
  ///
  /// A board without a clock battery writes timestamps of 1970 until its clock is set. In a later
  /// boot such a timestamp would appear to be decades old and every pause would be over, so the
  /// function returns `nil` for timestamps of another boot before 2024.
  func plausibleSeconds(since other: BootTimestamp) -> Int64? {
    let isSameBoot = boot != nil && boot == other.boot
    guard isSameBoot || other.utcSeconds >= Self.firstPlausibleUTCSeconds else { return nil }
    return seconds(since: other)
  }

  /// Returns the same moment as a timestamp of the current boot.
  ///
  /// Later intervals are then measured with the boot clock, so that a correction of the wall clock
  /// by days ends no pause and no daily limit.
  ///
  /// - Parameter now: The current time.
  /// - Returns: The timestamp, or `nil` if the elapsed time cannot be determined.
  func rebased(to now: BootTimestamp) -> BootTimestamp? {
    guard let elapsed = now.plausibleSeconds(since: self) else { return nil }
    let moment = now.advanced(bySeconds: -elapsed)
    // The two clocks differ by about a second. Keep the old value to avoid a disk write.
    let isSame = moment.boot == boot && (moment.utcSeconds &- utcSeconds).magnitude <= 60
    return isSame ? self : moment
  }
}
