// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What happens to a plugin, on its way to who decides about it.
///
/// It cannot grow with what happens outside. Of one that is replaced or told to stop at once, however
/// often, one word waits: each means the same as the one before. Everything else is said once for an
/// instance, its timer or the end of its input, and there are two instances at most. After the end
/// nobody listens, and nothing waits. The limit is for a mistake in that: what is beyond it is counted.
final class PluginInbox: Sendable {
  enum Event: Sendable {
    case supervision(PluginSupervision.Event)
    case ended(session: UInt64, PluginError?)
    case overdue(session: UInt64)

    /// Whether another that waits already says the same.
    fileprivate var kind: WritableKeyPath<State, Bool>? {
      switch self {
      case .supervision(.replace): \.isReplaced
      case .supervision(.cancel): \.isCancelled
      default: nil
      }
    }
  }

  fileprivate struct State {
    /// What waits of these.
    var isReplaced = false
    var isCancelled = false
    var droppedCount: UInt64 = 0
  }

  private static let limit = 64

  private let state = Mutex(State())
  /// What there is, in order; for one who takes it.
  let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  init() {
    (events, continuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingOldest(Self.limit))
  }

  /// How many found no room, which should be none.
  var droppedCount: UInt64 { state.withLock { $0.droppedCount } }

  /// Says something; returns at once.
  func send(_ event: Event) {
    state.withLock { state in
      if let kind = event.kind, state[keyPath: kind] { return }
      if case .dropped = continuation.yield(event) {
        state.droppedCount &+= 1
      } else if let kind = event.kind {
        // What found no room does not stand for the next.
        state[keyPath: kind] = true
      }
    }
  }

  /// One is taken: what is said from now on is for another.
  func took(_ event: Event) {
    if let kind = event.kind { state.withLock { $0[keyPath: kind] = false } }
  }

  /// Nobody takes anything any more.
  func close() { continuation.finish() }
}
