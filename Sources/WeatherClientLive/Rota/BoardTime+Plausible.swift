// SPDX-License-Identifier: Apache-2.0

internal import LocationServices

extension BoardTime {
  /// 2024-01-01: a wall clock that says less has not been set since the power came.
  private static let firstPlausibleUTCSeconds: Int64 = 1_704_067_200

  /// How long ago another moment was, where that can be known.
  ///
  /// A board without a battery stamps with 1970 until it is put right; after the next boot such a
  /// stamp would count as decades ago, and every rest as over.
  ///
  /// - Parameter other: The other moment.
  /// - Returns: Seconds; `nil` where the wall clocks of two boots do not tell.
  func plausibleSeconds(since other: BoardTime) -> Int64? {
    let isSameBoot = boot != nil && boot == other.boot
    guard isSameBoot || other.utcSeconds >= Self.firstPlausibleUTCSeconds else { return nil }
    return seconds(since: other)
  }
}
