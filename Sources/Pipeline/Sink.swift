// SPDX-License-Identifier: Apache-2.0

/// The end of the way: prints, writes or sends.
public protocol Sink: Sendable {
  /// The name it is reported under.
  var name: String { get }

  /// Takes the next event; calls never overlap.
  ///
  /// - Parameter event: The event.
  /// - Throws: Where nothing more can be written; the sink is then left out.
  func receive(_ event: any PipelineEvent) async throws
}
