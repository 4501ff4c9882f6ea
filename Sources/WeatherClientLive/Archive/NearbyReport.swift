// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// A stored report without its body, and its distance in metres from the searched coordinate.
struct NearbyReport: Equatable, Sendable {
  let stored: StoredReport
  let meters: Double
}

extension [NearbyReport] {
  /// The age difference in seconds below which two reports are treated as equally old.
  ///
  /// Forecast models run at most once an hour.
  private static var similarSeconds: Int64 { 3600 }

  /// Returns the reports in order of preference.
  ///
  /// 1. Fresh reports within `reach`, the nearest first.
  /// 2. The newest report within `reach`, and those less than an hour older, the nearest first.
  /// 3. Older reports within `reach`, the newest first.
  /// 4. Reports beyond `reach`, the nearest first.
  /// 5. All reports, the newest first.
  ///
  /// Groups 2 to 4 contain only reports younger than `lifetime`, whose forecasts have not ended.
  /// Age is more important than distance, since the weather changes more in a day than over a few
  /// kilometres.
  func preferred(
    at now: BootTimestamp, withinMeters reach: Double, lifetimeSeconds lifetime: Int64,
    isFresh: (StoredReport) -> Bool
  ) -> [StoredReport] {
    let nearestFirst = sorted { $0.meters < $1.meters }
    let fresh = nearestFirst.filter { $0.meters <= reach && isFresh($0.stored) }
    let current = nearestFirst.compactMap { near in
      now.plausibleSeconds(since: near.stored.receivedAt).map { (near: near, age: $0) }
    }.filter { $0.age < lifetime }
    let withinReach = current.filter { $0.near.meters <= reach }
    let minAge = withinReach.map(\.age).min() ?? 0
    let similar = withinReach.filter { $0.age - minAge < Self.similarSeconds }
    let older = withinReach.filter { $0.age - minAge >= Self.similarSeconds }
      .sorted { $0.age < $1.age }
    let beyondReach = current.filter { $0.near.meters > reach }
    let newestFirst = sorted {
      $0.stored.receivedAt.utcSeconds > $1.stored.receivedAt.utcSeconds
    }
    return
      (fresh + (similar + older + beyondReach).map(\.near) + newestFirst).map(\.stored)
  }
}
