// SPDX-License-Identifier: Apache-2.0

/// Prints, writes or sends the events of a pipeline.
///
/// Creating a sink opens no file or socket and starts no thread; ``start()`` does. Calls never
/// overlap, and each has a deadline. A call that exceeds its deadline is cancelled, and a new
/// instance is created once the call has returned.
public protocol Sink: Sendable {
  /// The name in reports and in the status.
  var name: String { get }

  /// Opens the output; called once, before the first event.
  ///
  /// - Throws: Preferably `PluginError`, if the output cannot be opened.
  func start() async throws

  /// Processes the next event.
  ///
  /// - Parameter event: The event.
  /// - Throws: Preferably `PluginError`, if the event was not processed. After a transient error,
  ///   the host waits and then creates a new instance, which receives the event again if the
  ///   plugin's ``MailboxPolicy`` is `dropNewest` or `keepAlerts`.
  func receive(_ event: any PipelineEvent) async throws

  /// Closes the output; called once, after the last event or after a failed ``start()``.
  ///
  /// If the task is cancelled, return without waiting.
  func stop() async
}

extension Sink {
  /// Does nothing.
  public func start() async throws {}

  /// Does nothing.
  public func stop() async {}
}
