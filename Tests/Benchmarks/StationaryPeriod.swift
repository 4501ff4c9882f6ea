// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Consecutive fixes during which a receiver was stationary, according to its speed.
struct StationaryPeriod {
  private(set) var fixes: [Fix] = []

  /// The maximum reported speed of a stationary receiver.
  private static let maxSpeedMetersPerSecond = 0.5
  /// The maximum median speed; the receiver of a walking person reports a higher speed.
  private static let maxMedianSpeedMetersPerSecond = 0.2
  /// The maximum distance from the first fix; a fix farther away begins another period.
  private static let maxWidthMeters = 100.0
  /// The maximum gap between fixes; a longer gap means that two recordings were joined.
  private static let maxGapNanoseconds: Int64 = 60_000_000_000
  /// The minimum number of fixes for a meaningful median.
  private static let minFixCount = 5

  /// Returns the stationary periods of a log; fixes without a position or a speed are skipped.
  static func all(of fixes: [Fix]) -> [StationaryPeriod] {
    var periods: [StationaryPeriod] = []
    var current = StationaryPeriod()
    for fix in fixes {
      if current.continues(with: fix) {
        current.fixes.append(fix)
      } else {
        periods.append(current)
        current = StationaryPeriod()
        if current.continues(with: fix) { current.fixes.append(fix) }
      }
    }
    return periods + [current]
  }

  private func continues(with fix: Fix) -> Bool {
    guard let place = fix.coordinate, let speed = fix.speedMetersPerSecond,
      speed <= Self.maxSpeedMetersPerSecond
    else { return false }
    guard let first = fixes.first?.coordinate, let last = fixes.last?.time, let time = fix.time
    else { return fixes.isEmpty }
    return first.distanceMeters(to: place) <= Self.maxWidthMeters
      && (0...Self.maxGapNanoseconds).contains(time.nanoseconds(since: last))
  }

  /// Returns the fixes that satisfy a condition; `nil` for too few fixes, or if the receiver moved.
  func group(where isIncluded: (Fix) -> Bool) -> [Fix]? {
    let group = fixes.filter(isIncluded)
    guard group.count >= Self.minFixCount,
      let speed = group.compactMap(\.speedMetersPerSecond).median,
      speed <= Self.maxMedianSpeedMetersPerSecond
    else { return nil }
    return group
  }
}

extension [Double] {
  /// The median; `nil` for an empty array.
  var median: Double? { quantile(0.5) }

  /// Returns the quantile for a share from 0 to 1; `nil` for an empty array.
  func quantile(_ share: Double) -> Double? {
    guard !isEmpty else { return nil }
    return sorted()[Swift.min(count - 1, Int(share * Double(count)))]
  }
}
