// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// A stored report without its body, and the distance in metres from its coordinate.
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
  /// 1. Fresh reports within reach, the nearest first.
  /// 2. Reports within reach that are less than an hour older than the newest, the nearest first.
  /// 3. Older reports within reach, the newest first.
  /// 4. Reports beyond reach, the nearest first.
  /// 5. All reports, the newest first.
  ///
  /// In 2 to 4, only reports younger than `lifetime` are used, whose forecast has not ended. Age is
  /// more important than distance, since the weather changes more in a day than over a few
  /// kilometres.
  func preferred(
    at now: BootTimestamp, withinMeters reach: Double, lifetimeSeconds lifetime: Int64,
    isFresh: (StoredReport) -> Bool
  ) -> [StoredReport] {
    let nearestFirst = sorted { $0.meters < $1.meters }
    let fresh = nearestFirst.filter { $0.meters <= reach && isFresh($0.stored) }
    let young = nearestFirst.compactMap { near in
      now.plausibleSeconds(since: near.stored.receivedAt).map { (near: near, age: $0) }
    }.filter { $0.age < lifetime }
    let here = young.filter { $0.near.meters <= reach }
    let newest = here.map(\.age).min() ?? 0
    let similar = here.filter { $0.age - newest < Self.similarSeconds }
    let older = here.filter { $0.age - newest >= Self.similarSeconds }.sorted { $0.age < $1.age }
    let beyond = young.filter { $0.near.meters > reach }
    let newestFirst = sorted {
      $0.stored.receivedAt.utcSeconds > $1.stored.receivedAt.utcSeconds
    }
    return
      (fresh + (similar + older + beyond).map(\.near) + newestFirst).map(\.stored)
  }
}
