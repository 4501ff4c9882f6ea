// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import Receivers

/// A source together with what has to run beside it, and what it has read.
package struct SourceSession: Sendable {
  /// The source.
  package var source: any FixSource
  /// Runs what the source reads from, until cancelled: a simulated receiver behind its line.
  package var companion: @Sendable () async -> Void
  /// What has been read.
  package var counters: @Sendable () -> NMEACounters
  /// Whether there is a receiver, and what stands in the way of fixes.
  package var situation: @Sendable () -> SourceSituation
  /// Goes on with other sources while it runs, without a break for those that it has already.
  ///
  /// False where it cannot, and has done nothing: make another session of them then. Throws where
  /// one of them cannot be had. `SourceGroup` says which of them go on.
  package var replace: @Sendable ([SourceSpecification]) throws -> Bool

  /// Makes a session.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - companion: Runs what the source reads from.
  ///   - counters: What has been read.
  ///   - situation: Whether there is a receiver, and what stands in the way of fixes.
  ///   - replace: Goes on with other sources.
  package init(
    source: any FixSource, companion: @escaping @Sendable () async -> Void = {},
    counters: @escaping @Sendable () -> NMEACounters,
    situation: @escaping @Sendable () -> SourceSituation = { .withReceiver },
    replace: @escaping @Sendable ([SourceSpecification]) throws -> Bool = { _ in false }
  ) {
    self.source = source
    self.companion = companion
    self.counters = counters
    self.situation = situation
    self.replace = replace
  }
}
