// SPDX-License-Identifier: Apache-2.0

/// A sink that writes several events together.
///
/// Its host keeps what it has taken until it is written: it is given again to the next instance, or
/// counted as lost, as its mailbox says. The host also has it write when the batch has waited long
/// enough, as one of the calls that never overlap and have a deadline.
public protocol BatchingSink: Sink {
  /// What it has taken and not written yet.
  var batch: SinkBatch { get async }

  /// Writes all that waits, or nothing of it; called when it has waited long enough, and before
  /// ``Sink/stop()`` unless something has failed, after which the batch is not its own any more.
  ///
  /// - Throws: Best `PluginError`, where it could not be written.
  func write() async throws
}

/// What a sink has taken and not written yet.
public struct SinkBatch: Equatable, Sendable {
  /// How many events: the newest of those it has taken, the ones apart that it passes over.
  public var count: Int
  /// How long it waits for others; zero or less where it is to be written, `nil` for an empty one.
  public var remaining: Duration?

  /// Makes a description.
  ///
  /// - Parameters:
  ///   - count: How many events.
  ///   - remaining: How long it waits for others.
  public init(count: Int, remaining: Duration?) {
    self.count = count
    self.remaining = remaining
  }
}

/// Says to the reader of a mailbox that there is something to be done, though no event has come.
struct WakeEvent: PipelineEvent {
  /// Whether the timer that the reader set is over.
  var isTimerOver = false
  /// Whether what waits is to be written however long it has waited.
  var writesNow = false
}
