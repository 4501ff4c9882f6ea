// SPDX-License-Identifier: Apache-2.0

internal import OpenCombine
internal import Synchronization

/// A stream that is opened for each subscriber, when it subscribes, and closed when it cancels.
///
/// Elements arrive on the main actor, so that closures written there may take them: one that is
/// bound to the main actor and called elsewhere ends the program.
struct StreamPublisher<Output: Sendable>: Publisher {
  typealias Failure = Never

  private let first: @Sendable () -> Output?
  private let open: @Sendable () -> AsyncStream<Output>

  /// Makes a publisher of what a stream holds, after a value read at subscription, where there is
  /// one.
  init(
    startingWith first: @escaping @Sendable () -> Output? = { nil },
    _ open: @escaping @Sendable () -> AsyncStream<Output>
  ) {
    self.first = first
    self.open = open
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Never {
    // First what was before, so that the stream cannot already tell of something newer.
    let first = first()
    subscriber.receive(subscription: StreamSubscription(first, open(), subscriber))
  }
}

/// One subscriber to a stream of its own.
///
/// What the subscriber does not demand waits in the stream, which keeps the newest.
private final class StreamSubscription<Downstream: Subscriber>: Subscription, Sendable
where Downstream.Input: Sendable, Downstream.Failure == Never {
  private struct State {
    /// How many elements may be delivered; the largest number stands for any.
    var demand = 0
    var task: Task<Void, Never>?
    /// The stream, until a task reads it: dropped unread, it is closed.
    var elements: AsyncStream<Downstream.Input>?
    var isCancelled = false

    init(_ elements: AsyncStream<Downstream.Input>) { self.elements = elements }

    mutating func add(_ more: Int) {
      let (sum, overflow) = demand.addingReportingOverflow(more)
      demand = overflow ? .max : sum
    }

    /// Takes one from the demand; `false` where there is none.
    mutating func take() -> Bool {
      guard demand > 0 else { return false }
      if demand < .max { demand -= 1 }
      return true
    }
  }

  private let state: Mutex<State>
  private let first: Downstream.Input?
  private let demands: AsyncStream<Void>
  private let demanded: AsyncStream<Void>.Continuation
  // Touched on the main actor only.
  nonisolated(unsafe) private let downstream: Downstream

  init(
    _ first: Downstream.Input?, _ elements: AsyncStream<Downstream.Input>, _ downstream: Downstream
  ) {
    self.first = first
    state = Mutex(State(elements))
    self.downstream = downstream
    (demands, demanded) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func request(_ demand: Subscribers.Demand) {
    let more = demand.max ?? .max
    state.withLock { state in
      guard !state.isCancelled else { return }
      state.add(more)
      guard let elements = state.elements else { return }
      state.elements = nil
      state.task = Task { @MainActor in await deliver(elements) }
    }
    demanded.yield()
  }

  func cancel() {
    // Dropped outside the lock, since closing a stream calls its client.
    let (task, elements) = state.withLock { state in
      state.isCancelled = true
      defer { state.elements = nil }
      return (state.task, state.elements)
    }
    _ = elements
    demanded.finish()
    task?.cancel()
  }

  @MainActor private func deliver(_ elements: AsyncStream<Downstream.Input>) async {
    var demands = demands.makeAsyncIterator()
    if let first {
      guard await deliver(first, &demands) else { return }
    }
    for await element in elements {
      guard await deliver(element, &demands) else { return }
    }
    guard !state.withLock({ $0.isCancelled }) else { return }
    downstream.receive(completion: .finished)
  }

  /// Waits until an element is demanded, and delivers it; `false` once nothing is wanted any more.
  @MainActor private func deliver(
    _ element: Downstream.Input, _ demands: inout AsyncStream<Void>.Iterator
  ) async -> Bool {
    while !state.withLock({ $0.take() }) {
      guard await demands.next(isolation: #isolation) != nil else { return false }
    }
    guard !state.withLock({ $0.isCancelled }) else { return false }
    let more = downstream.receive(element).max ?? .max
    state.withLock { $0.add(more) }
    return true
  }
}
