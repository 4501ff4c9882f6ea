// SPDX-License-Identifier: Apache-2.0

import FixcastCombine
import FixcastTesting
import LocationClient
import LocationServices
import OpenCombine
import PathMonitorClient
import Positioning
import Streams
import Testing

@Suite("CoreLocationObject", .timeLimit(.minutes(5)))
@MainActor struct CoreLocationObjectTests {
  private let manager = SimulatedManager()

  @Test func `CoreLocationObject publishes before each change and has the new value afterwards`()
    async
  {
    let object = CoreLocationObject(manager.client)
    #expect(object.authorizationStatus == .notDetermined)
    #expect(object.location == nil)
    let changes = EventRecorder<Bool>()
    let subscription = object.objectWillChange.sink { changes.record(true) }
    let statuses = EventRecorder<AuthorizationStatus>()
    let published = object.$authorizationStatus.sink { statuses.record($0) }
    object.authorize()
    await statuses.wait { $0.last == .authorizedWhenInUse }
    object.locate()
    let locations = EventRecorder<Location?>()
    let located = object.$location.sink { locations.record($0) }
    await locations.wait { $0.last == .some(.at(40)) }
    #expect(object.authorizationStatus.title == "Authorized When In Use")
    #expect(changes.events.count >= 2)
    manager.authorize(.denied)
    await locations.wait { $0.count > 1 && $0.last == .some(nil) }
    #expect(object.location == nil)
    for subscription in [subscription, published, located] { subscription.cancel() }
  }

  @Test func `CoreLocationObject can be released while subscribed to the client`() async {
    var object: CoreLocationObject? = CoreLocationObject(manager.client)
    weak let released = object
    // The status and locations are read from one stream, in order.
    #expect(await manager.listeners.wait(for: 1) == [1])
    #expect(released != nil)
    object = nil
    #expect(released == nil)
    #expect(await manager.listeners.wait(for: 2) == [1, 0])
  }

  @Test func `a location that arrives right after the authorization is published`() async {
    let object = CoreLocationObject(manager.client)
    let locations = EventRecorder<Location?>()
    let located = object.$location.sink { locations.record($0) }
    for number in 1...100 {
      manager.authorize(.denied)
      manager.authorize(.authorizedWhenInUse)
      manager.locate(Double(number) / 10)
      await locations.wait { $0.last == .some(.at(Double(number) / 10)) }
    }
    located.cancel()
  }

  @Test func `CoreLocationObject reads the status again after dropped events`() async {
    let object = CoreLocationObject(manager.client)
    let locations = EventRecorder<Location?>()
    let located = object.$location.sink { locations.record($0) }
    manager.authorize(.authorizedWhenInUse)
    manager.locate(40)
    await locations.wait { $0.last == .some(.at(40)) }
    manager.authorizeWithLostEvent(.denied)
    await locations.wait { $0.count > 1 && $0.last == .some(nil) }
    #expect(object.authorizationStatus == .denied)
    located.cancel()
  }

  @Test func `each authorization status has a title`() {
    #expect(
      AuthorizationStatus.allCases.map(\.title) == [
        "Not Determined", "Restricted", "Denied", "Always Authorized", "Authorized When In Use",
      ])
  }

  @Test func `networkPathPublisher publishes paths while there is a subscriber`() async {
    let counts = EventRecorder<Int>()
    let broadcast = Broadcast<NetworkPath>(
      replaysNewest: true, listenersChanged: { counts.record($0) })
    broadcast.send(NetworkPath(status: .unsatisfied))
    let publisher = PathMonitorClient { broadcast.subscribe() }.networkPathPublisher
    #expect(counts.events.isEmpty)
    let paths = EventRecorder<Bool>()
    let subscription = publisher.map(\.isSatisfied).removeDuplicates().sink { paths.record($0) }
    #expect(await paths.wait(for: 1) == [false])
    broadcast.send(NetworkPath(status: .satisfied))
    #expect(await paths.wait(for: 2) == [false, true])
    subscription.cancel()
    #expect(await counts.wait(for: 2) == [1, 0])
  }
}
