// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Positioning

/// How the lookups of the present generation stand.
///
/// What those of another provider came to is not theirs, and goes with them.
struct LookupStanding: Sendable {
  private var generation: Int64?
  /// How they stand.
  private(set) var standing = WeatherStanding()

  /// Begins anew where the lookups are others than before.
  ///
  /// - Parameter generation: Which they are; `nil` while they are off.
  mutating func begin(_ generation: Int64?) {
    guard generation != self.generation else { return }
    self.generation = generation
    standing = WeatherStanding()
  }

  /// Takes an event; one that an earlier generation saw is passed over.
  mutating func take(
    _ event: any PipelineEvent, of generation: Int64?, at now: MonotonicTime
  ) {
    if generation == self.generation { standing.take(event, at: now) }
  }
}
