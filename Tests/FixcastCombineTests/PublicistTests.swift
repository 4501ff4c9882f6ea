// SPDX-License-Identifier: Apache-2.0

import FixcastCombine
import FixcastTesting
import LocationClient
import LocationServices
import OpenCombine
import Positioning
import Streams
import Synchronization
import Testing

@Suite("Publicist", .timeLimit(.minutes(5)))
@MainActor struct PublicistTests {
  private let manager = SimulatedManager()
  private var publicist: Publicist { manager.client.publicist }

  @Test func `the first published authorization status is the status at subscription`() async {
    let publisher = publicist.authorizationPublisher
    // The status changes after the publisher was made and before the first subscription.
    manager.authorize(.denied)
    let statuses = EventRecorder<AuthorizationStatus>()
    let subscription = publisher.sink { statuses.record($0) }
    #expect(await statuses.wait(for: 1) == [.denied])
    manager.authorize(.authorizedAlways)
    #expect(await statuses.wait(for: 2) == [.denied, .authorizedAlways])
    let late = EventRecorder<AuthorizationStatus>()
    let other = publisher.sink { late.record($0) }
    #expect(await late.wait(for: 1) == [.authorizedAlways])
    subscription.cancel()
    other.cancel()
  }

  @Test func `a publicist publishes the current status first even if the client's stream omits it`()
    async
  {
    var client = manager.client
    client.delegate = { [manager] in manager.events.subscribe() }
    let statuses = EventRecorder<AuthorizationStatus>()
    let subscription = client.publicist.authorizationPublisher.sink { statuses.record($0) }
    #expect(await statuses.wait(for: 1) == [.notDetermined])
    subscription.cancel()
  }

  @Test func `the status is published again after dropped events, if it has changed`() async {
    let statuses = EventRecorder<AuthorizationStatus>()
    let subscription = publicist.authorizationPublisher.sink { statuses.record($0) }
    #expect(await statuses.wait(for: 1) == [.notDetermined])
    manager.authorizeWithLostEvent(.notDetermined)
    manager.authorizeWithLostEvent(.denied)
    #expect(await statuses.wait(for: 2) == [.notDetermined, .denied])
    subscription.cancel()
  }

  @Test func `the location publisher has no initial value`() async {
    manager.locate(40)
    let locations = EventRecorder<[Location]>()
    let events = EventRecorder<LocationClient.DelegateEvent>()
    let subscriptions = [
      publicist.locationPublisher.sink { locations.record($0) },
      publicist.delegate.sink { events.record($0) },
    ]
    await events.wait(for: 1)
    manager.events.send(.didFailWithError(.locationUnknown))
    manager.locate(41)
    #expect(await locations.wait(for: 1) == [[.at(41)]])
    #expect(
      await events.wait(for: 3) == [
        .didChangeAuthorization(.notDetermined), .didFailWithError(.locationUnknown),
        .didUpdateLocations([.at(41)]),
      ])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func `the error publisher publishes errors only, and continues after an error`() async {
    let errors = EventRecorder<LocationError>()
    let subscription = publicist.errorPublisher.sink { errors.record($0) }
    manager.events.send(.didFailWithError(.locationUnknown))
    manager.locate(40)
    manager.authorize(.denied)
    manager.events.send(.didFailWithError(.denied))
    #expect(await errors.wait(for: 2) == [.locationUnknown, .denied])
    subscription.cancel()
  }

  @Test
  func `each subscription to a publicist has its own stream until the subscription is cancelled`()
    async
  {
    let publisher = publicist.delegate
    #expect(manager.listeners.events.isEmpty)
    let kept = EventRecorder<LocationClient.DelegateEvent>()
    let first = publisher.sink { _ in }
    let second = publisher.sink { kept.record($0) }
    await kept.wait(for: 1)
    first.cancel()
    await manager.listeners.wait(for: 3)
    manager.locate(40)
    #expect(await kept.wait(for: 2).last == .didUpdateLocations([.at(40)]))
    let again = EventRecorder<LocationClient.DelegateEvent>()
    let third = publisher.sink { again.record($0) }
    await again.wait(for: 1)
    second.cancel()
    third.cancel()
    #expect(await manager.listeners.wait(for: 6) == [1, 2, 1, 2, 1, 0])
  }

  @Test
  func `a subscriber's closure is called on the main actor, whichever thread sends the event`()
    async
  {
    // A main-actor closure crashes the program if it is called on another thread.
    let counter = Counter()
    let statuses = EventRecorder<AuthorizationStatus>()
    counter.subscription = publicist.authorizationPublisher
      .map { status in
        MainActor.assertIsolated()
        counter.count += 1
        return status
      }
      .sink { status in
        MainActor.assertIsolated()
        counter.count += 1
        statuses.record(status)
      }
    await statuses.wait(for: 1)
    let manager = manager
    await Task.detached { manager.authorize(.denied) }.value
    #expect(await statuses.wait(for: 2) == [.notDetermined, .denied])
    #expect(counter.count == 4)
  }

  @Test func `a publicist delivers no more values than the subscriber requested`() async {
    let subscriber = ManualSubscriber()
    publicist.delegate.subscribe(subscriber)
    manager.locate(40)
    manager.locate(41)
    subscriber.demand(1)
    #expect(await subscriber.events.wait(for: 1) == [.didChangeAuthorization(.notDetermined)])
    subscriber.demand(1)
    #expect(
      await subscriber.events.wait(for: 2).last == .didUpdateLocations([.at(40)]))
    // Values that were not requested are buffered while another subscriber receives later values.
    let others = EventRecorder<LocationClient.DelegateEvent>()
    let other = publicist.delegate.sink { others.record($0) }
    manager.locate(42)
    await others.wait { $0.last == .didUpdateLocations([.at(42)]) }
    #expect(subscriber.events.events.count == 2)
    other.cancel()
    subscriber.demand(1)
    #expect(
      await subscriber.events.wait(for: 3).last == .didUpdateLocations([.at(41)]))
    subscriber.demand(1)
    #expect(
      await subscriber.events.wait(for: 4).last == .didUpdateLocations([.at(42)]))
    manager.events.finish()
    await subscriber.finished.wait(for: 1)
  }
}

/// A main-actor class whose closures are isolated to the main actor.
@MainActor private final class Counter {
  var count = 0
  var subscription: AnyCancellable?
}

/// A subscriber with manual demand.
private final class ManualSubscriber: Subscriber, Sendable {
  let events = EventRecorder<LocationClient.DelegateEvent>()
  let finished = EventRecorder<Bool>()
  nonisolated(unsafe) private var subscription: (any Subscription)?

  func receive(subscription: any Subscription) { self.subscription = subscription }

  func receive(_ input: LocationClient.DelegateEvent) -> Subscribers.Demand {
    events.record(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) { finished.record(true) }

  func demand(_ count: Int) { subscription?.request(.max(count)) }
}
