// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Sends elements to any number of listeners, which may subscribe at any time.
///
/// Each listener has a buffer of its own. A slow listener loses its own oldest elements, which are
/// counted, and does not delay the others.
package final class Broadcast<Element: Sendable>: Sendable {
  private struct State {
    var listeners: [UInt64: AsyncStream<Element>.Continuation] = [:]
    var nextID: UInt64 = 0
    var newest: Element?
    var dropped: UInt64 = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let bufferSize: Int
  private let replaysNewest: Bool
  private let listenersChanged: @Sendable (Int) -> Void

  /// Creates a broadcast without listeners.
  ///
  /// - Parameters:
  ///   - bufferSize: The maximum number of elements buffered per listener, at least 1. On overflow
  ///     the oldest are dropped.
  ///   - replaysNewest: Whether a new listener receives the newest element at once.
  ///   - listenersChanged: Called with the number of listeners whenever it changes, so that a
  ///     producer can start for the first listener and stop after the last listener has left. Runs
  ///     on the thread that subscribes or cancels.
  package init(
    bufferSize: Int = 16, replaysNewest: Bool = false,
    listenersChanged: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.bufferSize = max(bufferSize, 1)
    self.replaysNewest = replaysNewest
    self.listenersChanged = listenersChanged
  }

  /// The number of elements that slow listeners have lost, in total.
  package var droppedCount: UInt64 { state.withLock { $0.dropped } }

  /// The last sent element; `nil` before the first.
  package var newest: Element? { state.withLock { $0.newest } }

  /// The number of listeners.
  package var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// Discards the newest element, so that it is not replayed to new listeners.
  package func forgetNewest() { state.withLock { $0.newest = nil } }

  /// Subscribes to the elements sent from now on.
  ///
  /// The stream ends when the broadcast is finished. The subscription also ends if the stream is
  /// released, or if the task that iterates over the stream is cancelled. The stream sends `first`
  /// before all other elements and keeps `owner` alive.
  package func subscribe(
    startingWith first: Element? = nil, keeping owner: (any AnyObject & Sendable)? = nil
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(bufferSize))
    let id: UInt64? = state.withLock { state in
      if state.isFinished { return nil }
      let id = state.nextID
      state.nextID &+= 1
      state.listeners[id] = continuation
      // Sent under the lock, so that `first` precedes all other elements.
      if let first { continuation.yield(first) }
      if replaysNewest, let newest = state.newest { continuation.yield(newest) }
      return id
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    listenersChanged(state.withLock { $0.listeners.count })
    continuation.onTermination = { [weak self] _ in
      withExtendedLifetime(owner) { self?.remove(id) }
    }
    return stream
  }

  /// Sends an element to all listeners.
  package func send(_ element: Element) {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.newest = element
      for listener in state.listeners.values {
        if case .dropped = listener.yield(element) { state.dropped &+= 1 }
      }
    }
  }

  /// Ends all subscriptions; later subscriptions end at once.
  package func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      return Array(state.listeners.values)
    }
    // Outside the lock, because ending a stream calls `remove`.
    for listener in listeners { listener.finish() }
  }

  /// Removes a listener that has ended.
  ///
  /// Runs during the cancellation of the listener, where waiting for the lock could deadlock: the
  /// holder of the lock may be in `yield` for this listener, which waits for the cancellation.
  private func remove(_ id: UInt64) {
    // `nil` if the lock is held.
    let removal = state.withLockIfAvailable { Self.remove(id, from: &$0) }
    if let removal {
      if let count = removal { listenersChanged(count) }
    } else {
      Task { [self] in
        if let count = state.withLock({ Self.remove(id, from: &$0) }) { listenersChanged(count) }
      }
    }
  }

  /// Removes a listener; returns the number left, or `nil` if it was removed already.
  private static func remove(_ id: UInt64, from state: inout State) -> Int? {
    state.listeners.removeValue(forKey: id) == nil ? nil : state.listeners.count
  }

  deinit { finish() }
}
