// SPDX-License-Identifier: Apache-2.0

/// A sink that writes several events together.
///
/// The host keeps the events of a batch until they are written: a failed batch goes to the next
/// instance or is counted as lost, as the plugin's ``MailboxPolicy`` says.
public protocol BatchingSink: Sink {
  /// The events that the sink has taken and not written yet.
  var batch: SinkBatch { get async }

  /// Writes the whole batch or nothing of it; called when the batch has waited long enough and at the
  /// end of the input, but not after a failure.
  ///
  /// - Throws: Best `PluginError`, where the batch could not be written.
  func write() async throws
}

/// The events that a sink has taken and not written yet.
public struct SinkBatch: Equatable, Sendable {
  /// How many events: the newest that the sink has taken, without those that it passes over.
  public var count: Int
  /// How long the batch waits for more; zero or less where it is to be written, `nil` where it is
  /// empty.
  public var remaining: Duration?

  /// Makes a description.
  ///
  /// - Parameters:
  ///   - count: How many events.
  ///   - remaining: How long the batch waits for more.
  public init(count: Int, remaining: Duration?) {
    self.count = count
    self.remaining = remaining
  }
}
