// SPDX-License-Identifier: Apache-2.0

/// Passes or holds locations on their way to the stages behind it, and reports the reason.
///
/// A gate never changes a location. Gates affect only the lookups of the stages: sinks receive each
/// location directly. A gate that has failed or is waiting for a restart holds every location.
///
/// Creating a gate opens no file or socket and starts no thread; ``run(_:pass:report:)`` does.
public protocol Gate: Sendable {
  /// The name in reports and in the status.
  var name: String { get }

  /// Runs until the input ends or the task is cancelled, then returns promptly.
  ///
  /// Requesting the next location completes the current one. A gate that exceeds its deadline for
  /// one location is cancelled and replaced by a new instance.
  ///
  /// - Parameters:
  ///   - input: The newest location, with the enrichments of the stages before the gate.
  ///   - pass: Accepts each location that passes; returns immediately.
  ///   - report: Accepts events to publish; returns immediately.
  /// - Throws: Preferably `PluginError`, if the gate cannot continue.
  func run(
    _ input: AsyncStream<EnrichedLocation>,
    pass: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void) async throws
}
