// SPDX-License-Identifier: Apache-2.0

internal import OpenCombine
internal import Synchronization

/// A publisher that opens a stream for each subscriber and closes it when the subscriber cancels.
///
/// Publishers that take any closure deliver on the main actor, because the closure may be isolated
/// to the main actor. The program crashes if such a closure is called on another thread. A
/// ``ScheduledPublisher`` takes only `@Sendable` closures.
struct StreamPublisher<Elements: AsyncSequence & Sendable>: Publisher
where Elements.Element: Sendable {
  typealias Output = Elements.Element
  typealias Failure = Elements.Failure

  private let delivery: Delivery
  private let first: @Sendable () -> Output?
  private let open: @Sendable () -> Elements

  /// Makes a publisher of a stream's elements, optionally after a value that is read at
  /// subscription.
  init(
    _ delivery: Delivery, startingWith first: @escaping @Sendable () -> Output? = { nil },
    _ open: @escaping @Sendable () -> Elements
  ) {
    self.delivery = delivery
    self.first = first
    self.open = open
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    // The value is read before the stream is opened, so that the stream has no older element.
    let first = first()
    subscriber.receive(subscription: StreamSubscription(delivery, first, open(), subscriber))
  }
}

/// A subscription with its own stream.
///
/// Elements that the subscriber has not requested stay in the stream's buffer, which keeps only the
/// newest elements.
private final class StreamSubscription<Elements: AsyncSequence & Sendable>: Subscription, Sendable
where Elements.Element: Sendable {
  private struct State {
    /// The number of requested elements; `Int.max` means unlimited.
    var demand = 0
    var task: Task<Void, Never>?
    /// The stream, until a task reads it; releasing the stream closes it.
    var elements: Elements?
    var isCancelled = false

    init(_ elements: Elements) { self.elements = elements }

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
  private let delivery: Delivery
  private let first: Elements.Element?
  private let demands: AsyncStream<Void>
  private let demandContinuation: AsyncStream<Void>.Continuation
  // The methods of the subscriber, called only in the actions of the delivery, one after the other.
  nonisolated(unsafe) private let receive: (Elements.Element) -> Subscribers.Demand
  nonisolated(unsafe) private let finish: (Subscribers.Completion<Elements.Failure>) -> Void

  init<Downstream: Subscriber>(
    _ delivery: Delivery, _ first: Elements.Element?, _ elements: Elements, _ downstream: Downstream
  ) where Downstream.Input == Elements.Element, Downstream.Failure == Elements.Failure {
    self.delivery = delivery
    self.first = first
    state = Mutex(State(elements))
    receive = { downstream.receive($0) }
    finish = { downstream.receive(completion: $0) }
    (demands, demandContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func request(_ demand: Subscribers.Demand) {
    let more = demand.max ?? .max
    state.withLock { state in
      guard !state.isCancelled else { return }
      state.add(more)
      guard let elements = state.elements else { return }
      state.elements = nil
      state.task = Task { await deliver(elements) }
    }
    demandContinuation.yield()
  }

  func cancel() {
    // The stream is released outside the lock, because closing it calls the client.
    let (task, elements) = state.withLock { state in
      state.isCancelled = true
      defer { state.elements = nil }
      return (state.task, state.elements)
    }
    _ = elements
    demandContinuation.finish()
    task?.cancel()
  }

  private func deliver(_ elements: Elements) async {
    var demands = demands.makeAsyncIterator()
    if let first {
      guard await deliver(first, &demands) else { return }
    }
    do throws(Elements.Failure) {
      for try await element in elements {
        guard await deliver(element, &demands) else { return }
      }
      await complete(.finished)
    } catch {
      await complete(.failure(error))
    }
  }

  /// Waits for demand and delivers an element; returns false if the subscription is cancelled.
  private func deliver(
    _ element: Elements.Element, _ demands: inout AsyncStream<Void>.Iterator
  ) async -> Bool {
    while !state.withLock({ $0.take() }) {
      guard await demands.next() != nil else { return false }
    }
    await delivery.run { [self] in
      guard !isCancelled else { return }
      let more = receive(element).max ?? .max
      state.withLock { $0.add(more) }
    }
    return !isCancelled
  }

  private func complete(_ completion: Subscribers.Completion<Elements.Failure>) async {
    await delivery.run { [self] in
      if !isCancelled { finish(completion) }
    }
  }

  private var isCancelled: Bool { state.withLock { $0.isCancelled } }
}
