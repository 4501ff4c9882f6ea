// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The events of a monitor from when it was made, for one listener.
///
/// Core Location's `CLMonitor.Events`. Differs in that who is slow keeps the newest 64 and learns
/// how many it has missed: what waits for a reader who never comes is bounded. What tells
/// where the board was is missed by a listener who has not read it when the grant is withdrawn. Ends
/// with the monitor, or with the listener's task.
public struct MonitorEvents: AsyncSequence, Sendable {
  struct Numbered: Sendable {
    var number: UInt64
    var event: MonitorEvent
  }

  /// Up to which event nobody is told any more where the board was: the grant has been withdrawn.
  final class Withdrawal: Sendable {
    private let number = Atomic<UInt64>(0)

    func withdraw(through last: UInt64) { number.store(last, ordering: .releasing) }

    func covers(_ event: Numbered) -> Bool {
      guard event.number <= number.load(ordering: .acquiring) else { return false }
      switch event.event.state {
      case .satisfied, .unsatisfied: return true
      case .unknown, .unmonitored: return false
      }
    }
  }

  private let base: AsyncStream<Numbered>
  private let start: UInt64
  private let withdrawal: Withdrawal

  init(_ base: AsyncStream<Numbered>, after start: UInt64, _ withdrawal: Withdrawal) {
    self.base = base
    self.start = start
    self.withdrawal = withdrawal
  }

  /// Starts to read.
  ///
  /// As in Core Location.
  ///
  /// - Returns: The reader; there is one at a time.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), last: start, withdrawal: withdrawal)
  }

  /// A reader.
  ///
  /// As in Core Location.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncStream<Numbered>.Iterator
    var last: UInt64
    let withdrawal: Withdrawal

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
      while let next = await base.next(isolation: actor) {
        if withdrawal.covers(next) { continue }
        var event = next.event
        event.missedCount = next.number &- last &- 1
        last = next.number
        return event
      }
      return nil
    }
  }
}
