// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Something that runs while anybody listens to it: once for all, and anew after a pause.
///
/// Begins with the first listener, and is cancelled when the last leaves. Who comes in between is
/// given the newest element at once.
package final class SharedRun<Element: Sendable>: Sendable {
  /// Tells all who listen.
  package typealias Send = @Sendable (Element) -> Void

  private struct State {
    var running: Task<Void, Never>?
    /// Which run it is, so that one that was cancelled says nothing more.
    var number: UInt64 = 0
  }

  private let first: Element?
  private let body: @Sendable (@escaping Send) async -> Void
  private let state = Mutex(State())
  private let elements: Broadcast<Element>

  /// Makes a run that nobody listens to.
  package init(
    startingWith first: Element? = nil, _ body: @escaping @Sendable (@escaping Send) async -> Void
  ) {
    self.first = first
    self.body = body
    let owner = Owner<Element>()
    elements = Broadcast(replaysNewest: true) { count in
      // One who comes is seen to by `subscribe`.
      if count == 0 { owner.run?.stop() }
    }
    owner.set(self)
  }

  deinit { state.withLock { $0.running?.cancel() } }

  /// Whether it runs: only while someone listens.
  package var isRunning: Bool { state.withLock { $0.running != nil } }

  /// Starts to listen; the stream keeps what runs.
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
      await body { [weak self] element in self?.tell(element, of: number) }
    }
  }

  private func tell(_ element: Element, of number: UInt64) {
    state.withLock { state in
      if state.running != nil, state.number == number { elements.send(element) }
    }
  }

  private func stop() {
    state.withLock { state in
      // Someone may have come meanwhile.
      guard elements.listenerCount == 0 else { return }
      state.running?.cancel()
      state.running = nil
      elements.forgetNewest()
    }
  }
}

/// Lets the broadcast that a run owns call back to it.
private final class Owner<Element: Sendable>: Sendable {
  private struct Reference { weak var run: SharedRun<Element>? }
  private let reference = Mutex(Reference())
  var run: SharedRun<Element>? { reference.withLock { $0.run } }
  func set(_ run: SharedRun<Element>) { reference.withLock { $0.run = run } }
}
