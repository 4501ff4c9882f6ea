// SPDX-License-Identifier: Apache-2.0

internal import OpenCombine
internal import Synchronization

/// A publisher that opens a stream for each subscriber and closes it when the subscriber cancels.
///
/// Elements are delivered on the main actor, because the closures of subscribers may be isolated to
/// the main actor. The program crashes if such a closure is called on another thread.
struct StreamPublisher<Output: Sendable>: Publisher {
  typealias Failure = Never

  private let first: @Sendable () -> Output?
  private let open: @Sendable () -> AsyncStream<Output>

  /// Makes a publisher of a stream's elements, optionally after a value that is read at
  /// subscription.
  init(
    startingWith first: @escaping @Sendable () -> Output? = { nil },
    _ open: @escaping @Sendable () -> AsyncStream<Output>
  ) {
    self.first = first
    self.open = open
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Never {
    // The value is read before the stream is opened, so that the stream has no older element.
    let first = first()
    subscriber.receive(subscription: StreamSubscription(first, open(), subscriber))
  }
}

/// A subscription with its own stream.
///
/// Elements that the subscriber has not requested stay in the stream's buffer, which keeps only the
/// newest elements.
private final class StreamSubscription<Downstream: Subscriber>: Subscription, Sendable
where Downstream.Input: Sendable, Downstream.Failure == Never {
  private struct State {
    /// The number of requested elements; `Int.max` means unlimited.
    var demand = 0
    var task: Task<Void, Never>?
    /// The stream, until a task reads it; releasing the stream closes it.
    var elements: AsyncStream<Downstream.Input>?
    var isCancelled = false

    init(_ elements: AsyncStream<Downstream.Input>) { self.elements = elements }

    mutating func add(_ more: Int) {
      let (sum, overflow) = demand.addingReportingOverflow(more)
      demand = overflow ? .max : sum
    }

    /// Decrements the demand; returns false if the demand is 0.
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
  // The subscriber is used only on the main actor.
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
    // The stream is released outside the lock, because closing it calls the client.
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

  /// Waits for demand and delivers an element; returns false if the subscription is cancelled.
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
