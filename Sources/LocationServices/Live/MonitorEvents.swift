// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The events of a monitor since the subscription, for one listener.
///
/// Corresponds to Core Location's `CLMonitor.Events`. Differs from Core Location: the buffer is
/// bounded. A slow listener receives the newest 64 events and the number of events that it missed.
/// When the grant is withdrawn, unread events that reveal a position are skipped and counted as
/// missed. The sequence ends when the monitor is released or the listener's task is
/// cancelled.
public struct MonitorEvents: AsyncSequence, Sendable {
  struct Numbered: Sendable {
    var number: UInt64
    var event: MonitorEvent
  }

  /// The last event whose position must not be delivered, because the grant has been withdrawn.
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

  /// Starts reading; only one iterator may be used at a time.
  ///
  /// As in Core Location.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), last: start, withdrawal: withdrawal)
  }

  /// A reader of monitor events.
  ///
  /// As in Core Location.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncStream<Numbered>.Iterator
    var last: UInt64
    let withdrawal: Withdrawal

    /// Waits for the next event; returns `nil` at the end.
    ///
    /// Core Location's method throws. Differs from Core Location: problems are reported in
    /// ``MonitorEvent/diagnostics``.
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
