// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One source of elements, any number of listeners, at any time and again after a cancel.
///
/// Each listener has a buffer of its own: who is slow loses its own oldest elements, which are
/// counted, and holds up nobody.
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

  /// Makes a broadcast without listeners.
  ///
  /// - Parameters:
  ///   - bufferSize: How many elements each listener keeps, at least 1; beyond, its oldest go.
  ///   - replaysNewest: Whether a new listener is given the newest element at once.
  ///   - listenersChanged: Told how many listeners there are whenever that changes, so that what
  ///     feeds the broadcast can start with the first and stop after the last. Called on the
  ///     thread of whoever subscribed or cancelled.
  package init(
    bufferSize: Int = 16, replaysNewest: Bool = false,
    listenersChanged: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.bufferSize = max(bufferSize, 1)
    self.replaysNewest = replaysNewest
    self.listenersChanged = listenersChanged
  }

  /// How many elements slow listeners have lost, all together.
  package var droppedCount: UInt64 { state.withLock { $0.dropped } }

  /// The element sent last; `nil` before the first.
  package var newest: Element? { state.withLock { $0.newest } }

  /// How many listeners there are.
  package var listenerCount: Int { state.withLock { $0.listeners.count } }

  /// Forgets the newest element, so that nobody is given it late.
  package func forgetNewest() { state.withLock { $0.newest = nil } }

  /// Starts to listen.
  ///
  /// Returns the elements sent from now on; ends with the broadcast. Cancelling the task that
  /// iterates it, or dropping it, ends the subscription.
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
      // Under the lock, so that no element sent meanwhile gets in front of it.
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

  /// Gives an element to everybody who listens.
  package func send(_ element: Element) {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.newest = element
      for listener in state.listeners.values {
        if case .dropped = listener.yield(element) { state.dropped &+= 1 }
      }
    }
  }

  /// Ends every subscription, those yet to come included.
  package func finish() {
    let listeners = state.withLock { state in
      state.isFinished = true
      return Array(state.listeners.values)
    }
    // Outside the lock: ending a stream calls `remove`.
    for listener in listeners { listener.finish() }
  }

  /// Forgets whoever listens no more.
  ///
  /// It runs within the cancellation of the listener, and does not wait for the lock there: whoever
  /// holds it may be giving the listener something, which waits until the cancellation is done.
  private func remove(_ id: UInt64) {
    let removal = state.withLockIfAvailable { Self.remove(id, from: &$0) }
    if let removal {
      if let count = removal { listenersChanged(count) }
    } else {
      Task { [self] in
        if let count = state.withLock({ Self.remove(id, from: &$0) }) { listenersChanged(count) }
      }
    }
  }

  /// How many are left; `nil` where it was not there any more.
  private static func remove(_ id: UInt64, from state: inout State) -> Int? {
    state.listeners.removeValue(forKey: id) == nil ? nil : state.listeners.count
  }

  deinit { finish() }
}
