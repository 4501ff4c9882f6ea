// SPDX-License-Identifier: Apache-2.0

/// The events of a monitor from when it was made, for one listener.
///
/// Core Location's `CLMonitor.Events`. Differs in that who is slow keeps the newest 64 and learns
/// how many it has missed: what waits for a reader who never comes is bounded. Ends with the
/// monitor, or with the listener's task.
public struct MonitorEvents: AsyncSequence, Sendable {
  struct Numbered: Sendable {
    var number: UInt64
    var event: MonitorEvent
  }

  private let base: AsyncStream<Numbered>
  private let start: UInt64

  init(_ base: AsyncStream<Numbered>, after start: UInt64) {
    self.base = base
    self.start = start
  }

  /// Starts to read.
  ///
  /// As in Core Location.
  ///
  /// - Returns: The reader; there is one at a time.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), last: start)
  }

  /// A reader.
  ///
  /// As in Core Location.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncStream<Numbered>.Iterator
    var last: UInt64

    /// Waits for the next event.
    ///
    /// Core Location's throws. Differs in that it does not: whatever is the matter is in
    /// ``MonitorEvent/diagnostics``.
    ///
    /// - Parameter actor: Where the caller runs.
    /// - Returns: The event; `nil` at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> MonitorEvent? {
      guard let next = await base.next(isolation: actor) else { return nil }
      var event = next.event
      event.missedCount = next.number &- last &- 1
      last = next.number
      return event
    }
  }
}
