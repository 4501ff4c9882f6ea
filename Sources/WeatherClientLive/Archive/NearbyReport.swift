// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// A stored report without its body, and how far away the place is that it is for.
struct NearbyReport: Equatable, Sendable {
  let stored: StoredReport
  let meters: Double
}

extension [NearbyReport] {
  /// Reports that came no further apart than this are as good as of one age: models are computed
  /// no more often.
  private static var similarSeconds: Int64 { 3600 }

  /// The reports in the order in which they are to be told, the first choice first.
  ///
  /// Within reach one that stands comes first, the nearest of them, and then the newest: the
  /// weather changes more in a day than over a few kilometres. Distance decides among reports of
  /// one hour, and beyond reach. One whose forecast may be over comes last.
  func preferred(
    at now: BootTimestamp, withinMeters reach: Double, lifetimeSeconds lifetime: Int64,
    stands: (StoredReport) -> Bool
  ) -> [StoredReport] {
    let nearestFirst = sorted { $0.meters < $1.meters }
    let standing = nearestFirst.filter { $0.meters <= reach && stands($0.stored) }
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
      (standing + (similar + older + beyond).map(\.near) + newestFirst).map(\.stored)
  }
}
