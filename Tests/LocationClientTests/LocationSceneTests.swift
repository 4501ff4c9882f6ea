// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import Positioning
import Testing

@Suite("Simulated location clients", .timeLimit(.minutes(5)))
struct LocationSceneTests {
  private static let home = CircularRegion(center: .at(48.2, 16.4), radiusMeters: 500, identifier: "home")

  /// Returns the `count` events that a closure causes, without the initial status.
  private func events(
    _ client: LocationClient, _ count: Int, _ body: () -> Void
  ) async -> [LocationClient.DelegateEvent] {
    let stream = client.delegate()
    body()
    // This request is made last and answered at once, so its answer marks the end of the events.
    client.requestStateForRegion(Self.home)
    var received: [LocationClient.DelegateEvent] = []
    for await event in stream {
      if case .didDetermineState = event { break }
      received.append(event)
    }
    #expect(received.count == count + 1, "\(received)")
    return Array(received.dropFirst())
  }

  @Test func `services started before a grant deliver one location after the grant`() async {
    let client = LocationClient.notDetermined
    let received = await events(client, 2) {
      client.requestLocation()
      client.startUpdatingLocation()
      client.requestWhenInUseAuthorization()
      client.requestWhenInUseAuthorization()
    }
    #expect(received.first == .didChangeAuthorization(.authorizedWhenInUse))
    guard case .didUpdateLocations(let locations) = received.last else {
      Issue.record("\(received)")
      return
    }
    #expect(locations.allSatisfy(\.isSimulated) && locations.last == client.location())
    let upgrade = await events(client, 1) { client.requestAlwaysAuthorization() }
    #expect(upgrade == [.didChangeAuthorization(.authorizedAlways)])
  }

  @Test func `a slow subscriber of a simulated client is notified of the events that it lost`()
    async
  {
    let client = LocationClient.authorizedWhenInUse
    var slow = client.delegate().makeAsyncIterator()
    for _ in 1...70 { client.requestStateForRegion(Self.home) }
    #expect(await slow.next() == .didDropEvents(count: 7))
    #expect(await slow.next() == .didDetermineState(.unknown, region: Self.home))
  }

  @Test func `a simulated client ignores a one-shot request while updates run`() async {
    let here = Location.at(48.2, 16.4)
    let client = LocationClient.authorizedWhenInUse(locatedAt: here)
    let received = await events(client, 2) {
      client.startUpdatingLocation()
      client.requestLocation()
      client.stopUpdatingLocation()
      client.requestLocation()
    }
    #expect(received == Array(repeating: .didUpdateLocations([here]), count: 2))
  }

  @Test func `services started before a refusal each fail once after the refusal`() async {
    let client = LocationClient.notDeterminedDenied
    let received = await events(client, 3) {
      client.requestLocation()
      client.startMonitoringVisits()
      client.requestAlwaysAuthorization()
    }
    #expect(
      received == [
        .didChangeAuthorization(.denied), .didFailWithError(.denied), .didFailWithError(.denied),
      ])
    #expect(client.diagnostics() == .authorizationDenied)
    #expect(!client.isRegionMonitoringAvailable())
  }

  @Test func `a refused upgrade to always authorization causes no event`() async {
    let client = LocationClient.authorizedWhenInUse
    #expect(await events(client, 0) { client.requestAlwaysAuthorization() } == [])
    #expect(client.authorizationStatus() == .authorizedWhenInUse)
  }

  @Test func `a full-accuracy request is declined if accuracy is full, and denied if unauthorized`()
    async
  {
    await #expect(throws: LocationError.promptDeclined) {
      try await LocationClient.authorizedAlways.requestTemporaryFullAccuracyAuthorization("map")
    }
    await #expect(throws: LocationError.denied) {
      try await LocationClient.denied.requestTemporaryFullAccuracyAuthorization("map")
    }
  }

  @Test func `the reduced-accuracy client delivers the location of a manager's cell`() async throws {
    let client = LocationClient.reducedAccuracy
    #expect(client.authorizationStatus() == .authorizedWhenInUse)
    #expect(client.accuracyAuthorization() == .reducedAccuracy)
    #expect(client.diagnostics() == .accuracyLimited)
    let received = await events(client, 1) { client.requestLocation() }
    let full = try #require(location(of: LocationClient.authorizedWhenInUse))
    var manager = ReducedAccuracy()
    let cell = manager.take(full, at: .at(0))
    let reduced = try #require(cell)
    #expect(received == [.didUpdateLocations([reduced])])
    #expect(client.location() == reduced)
  }

  /// Returns the location with which a client answers a request.
  private func location(of client: LocationClient) -> Location? {
    client.requestLocation()
    return client.location()
  }

  @Test func `granted temporary full accuracy is an event, and running updates become precise`()
    async throws
  {
    let client = LocationClient.reducedAccuracy
    client.startUpdatingLocation()
    let full = try #require(location(of: LocationClient.authorizedWhenInUse))
    #expect(client.location() != full)
    let stream = client.delegate()
    try await client.requestTemporaryFullAccuracyAuthorization("map")
    var received: [LocationClient.DelegateEvent] = []
    for await event in stream.prefix(3) { received.append(event) }
    #expect(
      received == [
        .didChangeAuthorization(.authorizedWhenInUse),
        .didChangeAuthorization(.authorizedWhenInUse), .didUpdateLocations([full]),
      ])
    #expect(client.accuracyAuthorization() == .fullAccuracy && client.diagnostics() == [])
    #expect(client.location() == full)
    // Accuracy is already full.
    await #expect(throws: LocationError.promptDeclined) {
      try await client.requestTemporaryFullAccuracyAuthorization("map")
    }
  }

  @Test func `declined temporary full accuracy is a diagnostic, and locations stay reduced`() async {
    let client = LocationClient.reducedAccuracyDeclined
    let before = location(of: client)
    await #expect(throws: LocationError.promptDeclined) {
      try await client.requestTemporaryFullAccuracyAuthorization("map")
    }
    #expect(client.diagnostics() == [.accuracyLimited, .fullAccuracyDenied])
    #expect(client.accuracyAuthorization() == .reducedAccuracy)
    #expect(before != nil && location(of: client) == before)
  }

  @Test func `regions are monitored after temporary full accuracy was granted, but not before`()
    async throws
  {
    let client = LocationClient.reducedAccuracy
    #expect(!client.isRegionMonitoringAvailable())
    #expect(
      await events(client, 1) { client.startMonitoringForRegion(Self.home) } == [
        .monitoringDidFail(region: Self.home, error: .regionMonitoringDenied)
      ])
    try await client.requestTemporaryFullAccuracyAuthorization("map")
    #expect(client.isRegionMonitoringAvailable())
    #expect(
      await events(client, 1) { client.startMonitoringForRegion(Self.home) } == [
        .didStartMonitoring(region: Self.home)
      ])
  }

  @Test func `with location services switched off, each request is denied for the whole board`()
    async
  {
    let client = LocationClient.locationServicesDisabled
    #expect(!client.locationServicesEnabled())
    #expect(client.authorizationStatus() == .denied)
    #expect(client.diagnostics() == [.authorizationDenied, .authorizationDeniedGlobally])
    let received = await events(client, 1) {
      client.requestAlwaysAuthorization()
      client.requestLocation()
    }
    #expect(received == [.didFailWithError(.denied)])
    #expect(client.location() == nil)
    await #expect(throws: LocationError.denied) {
      try await client.requestTemporaryFullAccuracyAuthorization("map")
    }
  }

  @Test func `a simulated client monitors regions like a manager`() async {
    let client = LocationClient.authorizedWhenInUse(locatedAt: .at(48.2, 16.401))
    var far = Self.home
    far.identifier = "far"
    far.center = .at(50, 16)
    var broken = Self.home
    broken.radiusMeters = .nan
    let stream = client.delegate()
    for region in [Self.home, far, Self.home, broken] { client.startMonitoringForRegion(region) }
    #expect(Set(client.monitoredRegions().map(\.identifier)) == ["home", "far"])
    client.requestStateForRegion(Self.home)
    client.requestStateForRegion(far)
    client.stopMonitoringForRegion(far)
    client.requestStateForRegion(far)
    let expected: [LocationClient.DelegateEvent] = [
      .didChangeAuthorization(.authorizedWhenInUse),
      .didStartMonitoring(region: Self.home), .didStartMonitoring(region: far),
      .didStartMonitoring(region: Self.home),
      .didDetermineState(.inside, region: Self.home), .didDetermineState(.outside, region: far),
      .didDetermineState(.unknown, region: far),
    ]
    var received: [LocationClient.DelegateEvent] = []
    for await event in stream.prefix(expected.count + 1) {
      // This event is not compared, because the radius of its region is NaN.
      if case .monitoringDidFail(_, .regionMonitoringFailure) = event { continue }
      received.append(event)
    }
    #expect(received == expected)
    for number in 0..<30 {
      var region = Self.home
      region.identifier = "\(number)"
      client.startMonitoringForRegion(region)
    }
    #expect(client.monitoredRegions().count == CircularRegion.monitoringLimit)
  }

  @Test func `omitted endpoints report that the feature is unavailable`() async {
    let calls = EventRecorder<String>()
    // The four endpoints of the client of the articles.
    let client = LocationClient(
      authorizationStatus: { .restricted },
      requestWhenInUseAuthorization: { calls.record("authorization") },
      requestLocation: { calls.record("location") },
      delegate: { AsyncStream { $0.finish() } })
    client.requestAlwaysAuthorization()
    client.startUpdatingLocation()
    client.stopUpdatingLocation()
    #expect(calls.events == ["authorization", "location"])
    #expect(client.location() == nil)
    #expect(client.diagnostics() == .authorizationRestricted)
    #expect(!client.headingAvailable() && !client.isRegionMonitoringAvailable())
    #expect(!client.significantLocationChangeMonitoringAvailable())
    #expect(client.maximumRegionMonitoringDistance() == nil && client.monitoredRegions().isEmpty)
    await #expect(throws: LocationError.promptDeclined) {
      try await client.requestTemporaryFullAccuracyAuthorization("map")
    }
  }
}
