// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// An operation that all listeners share, and that runs only while there are listeners.
///
/// The operation starts when the first listener subscribes and is cancelled when the last listener
/// leaves. A later listener starts the operation again. A listener that subscribes during a run
/// receives the newest element at once.
package final class SharedRun<Element: Sendable>: Sendable {
  /// Sends an element to all listeners.
  package typealias Send = @Sendable (Element) -> Void

  private struct State {
    var running: Task<Void, Never>?
    /// The number of the current run, so that elements of a cancelled run are ignored.
    var number: UInt64 = 0
  }

  private let first: Element?
  private let body: @Sendable (@escaping Send) async -> Void
  private let state = Mutex(State())
  private let elements: Broadcast<Element>

  /// Creates an operation that is not running; each run sends `first` before it calls `body`.
  package init(
    startingWith first: Element? = nil, _ body: @escaping @Sendable (@escaping Send) async -> Void
  ) {
    self.first = first
    self.body = body
    let owner = Owner<Element>()
    elements = Broadcast(replaysNewest: true) { count in
      // `subscribe` starts the run for a new listener.
      if count == 0 { owner.run?.stop() }
    }
    owner.set(self)
  }

  deinit { state.withLock { $0.running?.cancel() } }

  /// Whether the operation is running.
  package var isRunning: Bool { state.withLock { $0.running != nil } }

  /// Subscribes and starts the run if necessary; the stream keeps this object alive.
  package func subscribe() -> AsyncStream<Element> {
    state.withLock { state in
      if state.running == nil { start(&state) }
      return elements.subscribe(keeping: self)
    }
  }

  private func start(_ state: inout State) {
    state.number &+= 1
    let number = state.number
    if let first { elements.send(first) }
    state.running = Task { [weak self, body] in
      await body { [weak self] element in self?.send(element, of: number) }
    }
  }

  private func send(_ element: Element, of number: UInt64) {
    state.withLock { state in
      if state.running != nil, state.number == number { elements.send(element) }
    }
  }

  private func stop() {
    state.withLock { state in
      // A new listener may have subscribed after the last one left.
      guard elements.listenerCount == 0 else { return }
      state.running?.cancel()
      state.running = nil
      elements.forgetNewest()
    }
  }
}

/// A weak reference that the broadcast uses to call its owner.
private final class Owner<Element: Sendable>: Sendable {
  private struct Reference { weak var run: SharedRun<Element>? }
  private let reference = Mutex(Reference())
  var run: SharedRun<Element>? { reference.withLock { $0.run } }
  func set(_ run: SharedRun<Element>) { reference.withLock { $0.run = run } }
}
