// SPDX-License-Identifier: Apache-2.0

/// The end of the way: prints, writes or sends.
///
/// Making one touches nothing: no file, no socket, no thread. What it needs it takes in ``start()``.
/// Calls never overlap, and each has a deadline: who does not return in time is cancelled, and
/// another is made in its place when it has returned.
public protocol Sink: Sendable {
  /// The name it is reported under.
  var name: String { get }

  /// Opens what it writes to; called once, before the first event.
  ///
  /// - Throws: Best `PluginError`, where that cannot be had.
  func start() async throws

  /// Takes the next event.
  ///
  /// - Parameter event: The event.
  /// - Throws: Best `PluginError`, where the event was not taken. After a transient error another is
  ///   made after a while, and given the event again where its mailbox keeps everything.
  func receive(_ event: any PipelineEvent) async throws

  /// Closes what it has opened; called once, after the last event, a failed start included.
  ///
  /// Where the task was cancelled, nothing need be waited for.
  func stop() async
}

extension Sink {
  /// Nothing to open.
  public func start() async throws {}

  /// Nothing to close.
  public func stop() async {}
}
