// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import Positioning
import Testing

@testable import DaemonClient

@Suite("Live location clients", .timeLimit(.minutes(5)))
struct LiveLocationClientTests {
  @Test func `every listener of a live client receives events after another has left`() async {
    let manager = LocationManager(policy: AllowAll(), purpose: "Test")
    let client = LocationClient.live(manager)
    var first = client.delegate().makeAsyncIterator()
    #expect(await first.next() == .didChangeAuthorization(.notDetermined))
    do {
      var leaving = client.delegate().makeAsyncIterator()
      #expect(await leaving.next() == .didChangeAuthorization(.notDetermined))
    }
    client.startUpdatingLocation()
    client.requestAlwaysAuthorization()
    #expect(await first.next() == .didChangeAuthorization(.authorizedAlways))
    #expect(client.authorizationStatus() == .authorizedAlways)
    var late = client.delegate().makeAsyncIterator()
    #expect(await late.next() == .didChangeAuthorization(.authorizedAlways))
    manager.ingest(.fix(.at(1, 2, mode: .twoDimensional)))
    for event in [await first.next(), await late.next()] {
      guard case .didUpdateLocations(let locations) = event else {
        Issue.record("\(String(describing: event))")
        continue
      }
      #expect(locations.map(\.coordinate) == [.at(1, 2)])
    }
  }

  private static let home = CircularRegion(center: .at(48.2, 16.4), radiusMeters: 500, identifier: "home")

  private func manager(_ status: AuthorizationStatus) -> LocationManager {
    LocationManager(policy: AllowAll(initially: status), purpose: "Test")
  }

  @Test func `each delegate method of the manager causes its own client event`() async {
    let manager = manager(.authorizedAlways)
    let relay = DelegateRelay(status: .notDetermined)
    let stream = relay.subscribe(to: manager)
    let visit = Visit(arrival: nil, isFinished: true, coordinate: .at(1, 2), radiusMeters: 9)
    let heading = Heading(degreesTrue: 12)
    let here = Location.at(1, 2)
    let fix = Fix(mode: .none)
    relay.locationManagerDidChangeAuthorization(manager)
    relay.locationManager(manager, didUpdateLocations: [here])
    relay.locationManager(manager, didReceiveFixWithoutPosition: fix)
    relay.locationManager(manager, didFailWithError: .network)
    relay.locationManager(manager, didUpdateHeading: heading)
    relay.locationManager(manager, didVisit: visit)
    relay.locationManager(manager, didEnterRegion: Self.home)
    relay.locationManager(manager, didExitRegion: Self.home)
    relay.locationManager(manager, didDetermineState: .inside, for: Self.home)
    relay.locationManager(manager, didStartMonitoringFor: Self.home)
    relay.locationManager(manager, monitoringDidFailFor: Self.home, withError: .regionMonitoringDenied)
    relay.locationManagerDidPauseLocationUpdates(manager)
    relay.locationManagerDidResumeLocationUpdates(manager)
    let expected: [LocationClient.DelegateEvent] = [
      .didChangeAuthorization(.notDetermined), .didChangeAuthorization(.authorizedAlways),
      .didUpdateLocations([here]), .didReceiveFixWithoutPosition(fix),
      .didFailWithError(.network), .didUpdateHeading(heading), .didVisit(visit),
      .didEnterRegion(Self.home), .didExitRegion(Self.home),
      .didDetermineState(.inside, region: Self.home), .didStartMonitoring(region: Self.home),
      .monitoringDidFail(region: Self.home, error: .regionMonitoringDenied),
      .didPauseLocationUpdates, .didResumeLocationUpdates,
    ]
    var received: [LocationClient.DelegateEvent] = []
    for await event in stream.prefix(expected.count) { received.append(event) }
    #expect(received == expected)
  }

  @Test func `a slow subscriber of a live client is notified of the events that it lost`() async {
    let manager = manager(.authorizedAlways)
    let relay = DelegateRelay(status: .authorizedAlways)
    var slow = relay.subscribe(to: manager).makeAsyncIterator()
    relay.locationManager(manager, didEnterRegion: Self.home)
    for _ in 1...70 { relay.locationManagerDidPauseLocationUpdates(manager) }
    // The first event and the region crossing are among the lost events.
    #expect(await slow.next() == .didDropEvents(count: 8))
    for _ in 1...64 { #expect(await slow.next() == .didPauseLocationUpdates) }
    relay.locationManagerDidResumeLocationUpdates(manager)
    #expect(await slow.next() == .didResumeLocationUpdates)
  }

  @Test func `setting properties of a live client changes only those that are not nil`() {
    let manager = manager(.authorizedAlways)
    let client = LocationClient.live(manager)
    client.set(.init(desiredAccuracy: .hundredMeters, headingFilter: .every))
    #expect(manager.desiredAccuracy == .hundredMeters && manager.headingFilter == nil)
    #expect(manager.distanceFilter == nil && !manager.pausesLocationUpdatesAutomatically)
    client.set(.init(distanceFilter: .atLeast(25), pausesLocationUpdatesAutomatically: true))
    #expect(manager.distanceFilter == 25 && manager.pausesLocationUpdatesAutomatically)
    #expect(manager.desiredAccuracy == .hundredMeters && manager.headingFilter == nil)
    client.set(.init(distanceFilter: .every))
    #expect(manager.distanceFilter == nil && manager.pausesLocationUpdatesAutomatically)
  }

  @Test func `a client controls the manager's regions, headings, visits and capabilities`() async {
    let manager = manager(.authorizedAlways)
    let client = LocationClient.live(manager)
    var events = client.delegate().makeAsyncIterator()
    _ = await events.next()
    client.startMonitoringForRegion(Self.home)
    #expect(await events.next() == .didStartMonitoring(region: Self.home))
    #expect(client.monitoredRegions() == [Self.home] && client.isRegionMonitoringAvailable())
    client.requestStateForRegion(Self.home)
    #expect(await events.next() == .didDetermineState(.unknown, region: Self.home))
    client.stopMonitoringForRegion(Self.home)
    #expect(client.monitoredRegions().isEmpty)

    #expect(!client.headingAvailable() && client.heading() == nil)
    let (first, second) = (Heading(degreesTrue: 90), Heading(degreesTrue: 200))
    manager.ingest(first)
    #expect(client.headingAvailable())
    client.startUpdatingHeading()
    manager.ingest(second)
    #expect(await events.next() == .didUpdateHeading(second))
    #expect(client.heading() == second)
    client.stopUpdatingHeading()

    client.startMonitoringSignificantLocationChanges()
    manager.ingest(.fix(.at(1, 2)))
    guard case .didUpdateLocations = await events.next() else {
      Issue.record("no significant change")
      return
    }
    client.stopMonitoringSignificantLocationChanges()
    #expect(client.diagnostics() == [] && client.locationServicesEnabled())
    #expect(client.maximumRegionMonitoringDistance() == CircularRegion.maximumRadiusMeters)
  }

  @Test func `a full-accuracy request ends when it is answered or cancelled`() async throws {
    let client = LocationClient.live(LocationManager(policy: ReducedPolicy(grants: true), purpose: "Test"))
    #expect(client.accuracyAuthorization() == .reducedAccuracy)
    try await client.requestTemporaryFullAccuracyAuthorization("map")
    let declining = LocationClient.live(LocationManager(policy: ReducedPolicy(grants: false), purpose: "Test"))
    await #expect(throws: LocationError.promptDeclined) {
      try await declining.requestTemporaryFullAccuracyAuthorization("map")
    }
    let undecided = LocationClient.live(LocationManager(policy: ReducedPolicy(grants: nil), purpose: "Test"))
    let asking = Task {
      _ = await #expect(throws: LocationError.promptDeclined) {
        try await undecided.requestTemporaryFullAccuracyAuthorization("map")
      }
    }
    asking.cancel()
    await asking.value
  }

  @Test func `a manager lives as long as its live client or a stream of that client`() async {
    weak var kept: LocationManager?
    weak var relay: (any LocationManagerDelegate)?
    let released = EventRecorder<Void>()
    func heldManager() -> LocationManager {
      // Each manager has its own policy, which records its release.
      LocationManager(policy: HeldPolicy(held: Held { released.record(()) }), purpose: "Test")
    }
    do {
      var stream: AsyncStream<LocationClient.DelegateEvent>
      do {
        let made = heldManager()
        let client = LocationClient.live(made)
        (kept, relay) = (made, made.delegate)
        stream = client.delegate()
        client.startUpdatingLocation()
      }
      // The client has been released, and its stream continues.
      #expect(kept != nil && relay != nil)
      kept?.ingest(.fix(.at(1, 2)))
      var events = stream.makeAsyncIterator()
      #expect(await events.next() == .didChangeAuthorization(.authorizedAlways))
      guard case .didUpdateLocations = await events.next() else {
        Issue.record("no location without the client")
        return
      }
      stream = AsyncStream { $0.finish() }
    }
    await released.wait(for: 1)
    #expect(kept == nil && relay == nil)

    do {
      let made = heldManager()
      let client = LocationClient.live(made)
      kept = made
      // A listener whose task was cancelled does not keep the manager alive.
      let listener = Task { [stream = client.delegate()] in for await _ in stream {} }
      listener.cancel()
      await listener.value
      #expect(client.authorizationStatus() == .authorizedAlways)
    }
    await released.wait(for: 2)
    #expect(kept == nil)
  }

  @Test func `two live clients each receive only the events of their own manager`() async {
    let managers = [manager(.authorizedAlways), manager(.authorizedAlways)]
    let clients = managers.map { LocationClient.live($0) }
    let streams = clients.map { $0.delegate() }
    for (number, manager) in managers.enumerated() {
      clients[number].startUpdatingLocation()
      manager.ingest(.fix(.at(Double(number))))
    }
    for (number, stream) in streams.enumerated() {
      var events = stream.makeAsyncIterator()
      _ = await events.next()
      guard case .didUpdateLocations(let locations) = await events.next() else {
        Issue.record("no location")
        continue
      }
      #expect(locations.map(\.coordinate) == [.at(Double(number), 0)])
    }
  }
}

/// A policy that grants everything and holds an object during its lifetime.
private struct HeldPolicy: AuthorizationPolicy {
  let held: Held
  let initialAuthorization = Authorization(.authorizedAlways)

  func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer {
    .decided(initialAuthorization)
  }
}

/// A policy with reduced accuracy that grants, refuses or never answers full-accuracy requests.
private struct ReducedPolicy: AuthorizationPolicy {
  let grants: Bool?
  let initialAuthorization = Authorization(.authorizedAlways, accuracy: .reducedAccuracy)

  func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer {
    .decided(initialAuthorization)
  }

  func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
    guard let grants else {
      for await _ in AsyncStream<Never>.makeStream().stream {}
      return .declined
    }
    return grants ? .granted(duration: nil) : .declined
  }
}
