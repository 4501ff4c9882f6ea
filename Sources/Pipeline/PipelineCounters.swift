// SPDX-License-Identifier: Apache-2.0

/// What has gone through a pipeline.
public struct PipelineCounters: Equatable, Sendable {
  /// Locations that came in.
  public var locations: UInt64 = 0
  /// Locations that gates have held, released ones included.
  public var held: UInt64 = 0
  /// Locations that came out of the last stage.
  public var enriched: UInt64 = 0
  /// Lookups that were begun.
  public var lookupsAsked: UInt64 = 0
  /// Lookups that got their answer.
  public var lookupsAnswered: UInt64 = 0
  /// Lookups that got none; one that is cut short is neither.
  public var lookupsFailed: UInt64 = 0
  /// Lookups that came too soon after another, and wait or waited.
  public var lookupsPostponed: UInt64 = 0
  /// Those of them that the end came before: the newest location has no weather.
  public var lookupsAbandoned: UInt64 = 0
  /// Failures that were reported.
  public var errors: UInt64 = 0
  /// Locations that a newer one replaced before a gate or stage.
  public var conflated: UInt64 = 0
  /// Events that a slow sink lost.
  public var dropped: UInt64 = 0
  /// Sinks that can write no more.
  public var failedSinks: Int = 0

  /// Makes counters at zero.
  public init() {}
}
