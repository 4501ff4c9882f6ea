// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Consecutive fixes of a receiver that stood still, as far as its speed tells.
struct StillStretch {
  private(set) var fixes: [Fix] = []

  /// A receiver at rest states up to this speed.
  private static let maxSpeedMetersPerSecond = 0.5
  /// A receiver that walks states more than this most of the time.
  private static let maxMedianSpeedMetersPerSecond = 0.2
  /// Farther apart are two places, not errors of one.
  private static let maxWidthMeters = 100.0
  /// A longer gap separates recordings that were joined.
  private static let maxGapNanoseconds: Int64 = 60_000_000_000
  /// Fewer fixes have no median worth the name.
  private static let minFixCount = 5

  /// The stretches of a log; fixes without a position or a speed are in none.
  static func all(of fixes: [Fix]) -> [StillStretch] {
    var stretches: [StillStretch] = []
    var current = StillStretch()
    for fix in fixes {
      if current.continues(with: fix) {
        current.fixes.append(fix)
      } else {
        stretches.append(current)
        current = StillStretch()
        if current.continues(with: fix) { current.fixes.append(fix) }
      }
    }
    return stretches + [current]
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

  /// The fixes of one status; `nil` where they are too few or moved.
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
  /// The middle of the sorted values; `nil` of none.
  var median: Double? { quantile(0.5) }

  /// The value that a share of the others does not exceed; `nil` of none.
  func quantile(_ share: Double) -> Double? {
    guard !isEmpty else { return nil }
    return sorted()[Swift.min(count - 1, Int(share * Double(count)))]
  }
}
