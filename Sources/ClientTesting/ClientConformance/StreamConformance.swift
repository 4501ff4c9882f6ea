// SPDX-License-Identifier: Apache-2.0

/// A conformance suite for streams of simulated and live clients.
///
/// The suite subscribes twice, cancels one subscription, adds a late one, and subscribes again
/// after a pause. It uses a client only through closures, so that it does not depend on any client.
public struct StreamConformance<Element: Equatable & Sendable>: Sendable {
  /// Returns whether an element is the expected one.
  public typealias Predicate = @Sendable (Element) -> Bool

  /// The first element of a subscription before any change.
  public enum Beginning: Sendable {
    /// There is no first element before a change.
    case nothing
    /// The current state, which is known independently of the stream.
    case state(@Sendable () -> Element)
    /// The newest element of the other subscriptions.
    ///
    /// If `isAvailableAtOnce` is true, the first subscription begins with an element of the source.
    /// After a pause, the newest element before the pause must not be delivered.
    case newest(isAvailableAtOnce: Bool)
  }

  private let subscribe: @Sendable () -> AsyncStream<Element>
  private let beginning: Beginning
  private let provoke: (@Sendable () async -> Predicate)?
  private let provokeUnobserved: (@Sendable () async -> Predicate)?
  private let waitForRunning: (@Sendable (_ isExpected: Bool) async -> Void)?
  private let patience: Duration
  private let clock: any Clock<Duration>

  /// Makes a suite for a stream.
  ///
  /// - Parameters:
  ///   - beginning: The first element of a subscription before any change.
  ///   - waitForRunning: Waits until the source has started or stopped, or the task is cancelled;
  ///     `nil` if the source does not depend on subscriptions.
  ///   - patience: The timeout for each expected element.
  ///   - clock: The clock for the timeout.
  ///   - provokeUnobserved: Causes a change without subscriptions; returns a predicate for the
  ///     element with which the next subscription must begin. `nil` if the source does not notice
  ///     such a change.
  ///   - provoke: Causes a change that is delivered once to every subscription; returns a predicate
  ///     for the element. `nil` if there are no changes.
  ///   - subscribe: Makes a subscription.
  public init(
    beginning: Beginning, waitForRunning: (@Sendable (_ isExpected: Bool) async -> Void)? = nil,
    patience: Duration = .seconds(20), clock: any Clock<Duration> = ContinuousClock(),
    provokeUnobserved: (@Sendable () async -> Predicate)? = nil,
    provoke: (@Sendable () async -> Predicate)?,
    subscribe: @escaping @Sendable () -> AsyncStream<Element>
  ) {
    self.subscribe = subscribe
    self.beginning = beginning
    self.provoke = provoke
    self.provokeUnobserved = provokeUnobserved
    self.waitForRunning = waitForRunning
    self.patience = patience
    self.clock = clock
  }

  /// Tests all rules, one after the other.
  ///
  /// - Returns: The breaches, each with the elements received.
  public func breaches() async -> [StreamBreach] {
    var breaches: [StreamBreach] = []
    func check(_ rule: StreamRule, _ received: [Element], _ isKept: Bool) {
      if !isKept { breaches.append(StreamBreach(rule: rule, received: received.map { "\($0)" })) }
    }
    func checkDelivery(
      _ rule: StreamRule, _ listeners: [StreamListener<Element>]
    ) async -> [Delivery] {
      let deliveries = await deliver(to: listeners)
      for delivery in deliveries {
        check(rule, delivery.listener.received, delivery.isReceived)
        check(.deliversOnce, delivery.listener.received, delivery.isOnce)
      }
      return deliveries
    }

    let (kept, cancelled) = (listen(), listen())
    check(.runsWhileSubscribed, [], await runs(true))
    for listener in [kept, cancelled] {
      check(.beginsWithCurrent, listener.received, await begins(listener, after: nil))
    }
    _ = await checkDelivery(.deliversToAll, [kept, cancelled])

    cancelled.cancel()
    check(.endsWithItsTask, cancelled.received, await wait { await cancelled.waitForEnd() })
    let receivedCount = cancelled.received.count
    _ = await checkDelivery(.cancelKeepsOthers, [kept])
    check(.endsWithItsTask, cancelled.received, cancelled.received.count == receivedCount)

    let late = listen()
    check(.beginsWithCurrent, late.received, await begins(late, after: kept))
    _ = await checkDelivery(.deliversAgain, [kept, late])

    kept.cancel()
    late.cancel()
    for listener in [kept, late] {
      check(.endsWithItsTask, listener.received, await wait { await listener.waitForEnd() })
    }
    check(.runsWhileSubscribed, [], await runs(false))

    let isFound = await provokeUnobserved?()
    let afterPause = listen()
    check(.runsWhileSubscribed, [], await runs(true))
    check(.beginsWithCurrent, afterPause.received, await begins(afterPause, after: nil))
    if let isFound {
      check(
        .dropsStaleValue, afterPause.received, afterPause.received.first.map(isFound) ?? false)
    }
    for delivery in await checkDelivery(.deliversAgain, [afterPause])
    where delivery.isReceived && beginsEmpty {
      check(.dropsStaleValue, delivery.listener.received, delivery.isFirst)
    }
    afterPause.cancel()
    _ = await wait { await afterPause.waitForEnd() }
    check(.runsWhileSubscribed, [], await runs(false))
    return breaches
  }

  /// Returns whether the source starts or stops as expected within the timeout.
  private func runs(_ isExpected: Bool) async -> Bool {
    guard let waitForRunning else { return true }
    return await wait { await waitForRunning(isExpected) }
  }

  private func listen() -> StreamListener<Element> { StreamListener(subscribe()) }

  /// Returns whether the first element of a listener is the expected one.
  private func begins(
    _ listener: StreamListener<Element>, after other: StreamListener<Element>?
  ) async -> Bool {
    let expected: Element?
    switch beginning {
    case .nothing: return true
    case .newest(let isAvailableAtOnce):
      expected = other?.received.last
      if expected == nil, !isAvailableAtOnce { return true }
    case .state(let state): expected = state()
    }
    guard await wait({ await listener.wait(from: 0) { _ in true } }) else { return false }
    return expected == nil || listener.received.first == expected
  }

  /// Whether a subscription after a pause receives nothing until the next change.
  private var beginsEmpty: Bool {
    if case .newest(isAvailableAtOnce: false) = beginning { true } else { false }
  }

  /// Whether a listener received the expected element, whether it was the listener's first element,
  /// and whether the previous elements were received only once.
  private typealias Delivery = (
    listener: StreamListener<Element>, isReceived: Bool, isFirst: Bool, isOnce: Bool
  )

  /// Causes a change and waits for its delivery to all listeners.
  private func deliver(to listeners: [StreamListener<Element>]) async -> [Delivery] {
    guard let provoke else { return [] }
    let counts = listeners.map(\.received.count)
    let isExpected = await provoke()
    var deliveries: [Delivery] = []
    for (listener, count) in zip(listeners, counts) {
      let isReceived = await wait { await listener.wait(from: count, until: isExpected) }
      // The second delivery of a change would precede the delivery of the next change.
      let before = listener.markChange(from: count, isExpected)
      let isOnce = zip(before, before.dropFirst()).allSatisfy { $0 != $1 }
      deliveries.append(
        (listener, isReceived, listener.received.first.map(isExpected) ?? false, isOnce))
    }
    return deliveries
  }

  /// Returns whether a body returned within the timeout.
  private func wait(_ body: @escaping @Sendable () async -> Void) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await body()
        return !Task.isCancelled
      }
      group.addTask { [patience, clock] in
        try? await clock.sleep(for: patience)
        return false
      }
      let first = await group.next() ?? false
      group.cancelAll()
      return first
    }
  }
}
