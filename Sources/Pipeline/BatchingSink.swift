// SPDX-License-Identifier: Apache-2.0

/// A sink that writes several events together.
///
/// The host keeps the events of a batch until they are written. After a failure the
/// ``MailboxPolicy`` of the plugin decides whether the next instance receives the batch or the host
/// counts it as lost.
public protocol BatchingSink: Sink {
  /// The events that the sink has received but not yet written.
  var batch: SinkBatch { get async }

  /// Writes the whole batch or none of it.
  ///
  /// The host calls this method when the batch has waited long enough and at the end of the input,
  /// but not after a failure.
  ///
  /// - Throws: Preferably `PluginError`, if the batch could not be written.
  func write() async throws
}

/// The unwritten events of a batching sink.
public struct SinkBatch: Equatable, Sendable {
  /// The number of events in the batch; events that the sink ignores are not counted.
  public var count: Int
  /// The time for which the batch waits for more events.
  ///
  /// Zero or negative if the batch is due for writing; `nil` if the batch is empty.
  public var remaining: Duration?

  /// Creates a description of a batch.
  public init(count: Int, remaining: Duration?) {
    self.count = count
    self.remaining = remaining
  }
}
