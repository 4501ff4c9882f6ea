// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

extension BootTimestamp {
  /// 2024-01-01: a wall clock that says less has not been set since the power came.
  private static let firstPlausibleUTCSeconds: Int64 = 1_704_067_200

  /// How long ago another moment was, where that can be known.
  ///
  /// A board without a battery stamps with 1970 until it is put right; after the next boot such a
  /// stamp would count as decades ago, and every rest as over.
  ///
  /// Returns seconds; `nil` where the wall clocks of two boots do not tell.
  func plausibleSeconds(since other: BootTimestamp) -> Int64? {
    let isSameBoot = boot != nil && boot == other.boot
    guard isSameBoot || other.utcSeconds >= Self.firstPlausibleUTCSeconds else { return nil }
    return seconds(since: other)
  }

  /// The same moment by the clocks as they are now.
  ///
  /// What is counted from it goes by the time since this boot from then on: a wall clock that is put
  /// right, and jumps by days, ends no rest and no day.
  ///
  /// - Parameter now: The present moment.
  /// - Returns: The moment; `nil` where the clocks do not tell when it was.
  func rebased(to now: BootTimestamp) -> BootTimestamp? {
    guard let elapsed = now.plausibleSeconds(since: self) else { return nil }
    let moment = now.advanced(bySeconds: -elapsed)
    // The clocks tick apart by a second or so: nothing to write to a disk for.
    let isSame = moment.boot == boot && (moment.utcSeconds &- utcSeconds).magnitude <= 60
    return isSame ? self : moment
  }
}
