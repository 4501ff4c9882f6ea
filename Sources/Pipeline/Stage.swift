// SPDX-License-Identifier: Apache-2.0

/// Enriches locations, for example with a place or the weather.
///
/// A stage may be slow: its queue keeps only the newest location. Locations bypass a stage that is
/// waiting for a restart or has failed permanently.
///
/// Creating a stage opens no file or socket and starts no thread; ``run(_:deliver:report:)`` does.
public protocol Stage: Sendable {
  /// The name in reports and in the status.
  var name: String { get }

  /// Runs until the input ends or the task is cancelled, then returns promptly.
  ///
  /// Requesting the next location completes the current one. A stage that exceeds its deadline for
  /// one location is cancelled and replaced by a new instance.
  ///
  /// - Parameters:
  ///   - input: The newest location, with the enrichments of earlier stages.
  ///   - deliver: Accepts each processed location; returns immediately.
  ///   - report: Accepts events to publish; returns immediately.
  /// - Throws: Preferably `PluginError`, if the stage cannot continue.
  func run(
    _ input: AsyncStream<EnrichedLocation>,
    deliver: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void) async throws
}
