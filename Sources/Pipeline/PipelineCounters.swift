// SPDX-License-Identifier: Apache-2.0

/// The counts of a pipeline.
public struct PipelineCounters: Equatable, Sendable {
  /// Locations submitted to the pipeline.
  public var locations: UInt64 = 0
  /// Locations held by gates, including those released later.
  public var held: UInt64 = 0
  /// Locations that have passed all gates and stages.
  public var enriched: UInt64 = 0
  /// Lookups started.
  public var lookupsAsked: UInt64 = 0
  /// Lookups answered.
  public var lookupsAnswered: UInt64 = 0
  /// Lookups failed.
  ///
  /// A cancelled lookup counts neither as answered nor as failed.
  public var lookupsFailed: UInt64 = 0
  /// Lookups postponed because they came too soon after the previous lookup.
  public var lookupsPostponed: UInt64 = 0
  /// Postponed lookups dropped at the end of the run, so that the newest location has no weather.
  public var lookupsAbandoned: UInt64 = 0
  /// Failures reported.
  public var errors: UInt64 = 0
  /// Locations replaced by a newer location in the queue of a gate or stage.
  public var conflated: UInt64 = 0
  /// Events dropped by the queues of slow sinks.
  public var dropped: UInt64 = 0
  /// Sinks that have failed permanently.
  public var failedSinks: Int = 0

  /// Creates counters at zero.
  public init() {}
}
