// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import Positioning
import Testing

@Suite("Recorded location clients", .timeLimit(.minutes(5)))
struct RecordedLocationTests {
  typealias Event = LocationClient.DelegateEvent

  private let clock = ManualClock()

  private func at(_ longitude: Double) -> Location { .at(48, longitude) }

  /// Advances the clock by one second, to the next event.
  private func step() async {
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
  }

  @Test func `each recorded client replays from the beginning when updates start`() async {
    for _ in 1...2 {
      let client = LocationClient.recorded([at(1), at(2), at(3)], every: .seconds(1), clock: clock)
      var events = client.delegate().makeAsyncIterator()
      #expect(await events.next() == .didChangeAuthorization(.authorizedWhenInUse))
      #expect(clock.sleeperCount == 0 && client.location() == nil)
      client.startUpdatingLocation()
      #expect(client.location() == at(1))
      #expect(await events.next() == .didUpdateLocations([at(1)]))
      await step()
      #expect(await events.next() == .didUpdateLocations([at(2)]))
      await step()
      #expect(await events.next() == .didUpdateLocations([at(3)]))
      client.stopUpdatingLocation()
      client.requestLocation()
      #expect(await events.next() == .didFailWithError(.locationUnknown))
    }
  }

  @Test func `a recorded client answers a request once and delivers nothing after a stop`() async {
    let client = LocationClient.recorded(
      (0...4).map { (.seconds(1), .didUpdateLocations([at(Double($0))])) }, clock: clock)
    var events = client.delegate().makeAsyncIterator()
    _ = await events.next()
    client.requestLocation()
    await step()
    #expect(await events.next() == .didUpdateLocations([at(0)]))
    await step()
    await clock.waitForSleepers(1)
    client.startUpdatingLocation()
    await step()
    #expect(await events.next() == .didUpdateLocations([at(2)]))
    await clock.waitForSleepers(1)
    client.stopUpdatingLocation()
    client.requestLocation()
    client.stopUpdatingLocation()
    await step()
    await clock.waitForSleepers(1)
    client.requestLocation()
    await step()
    #expect(await events.next() == .didUpdateLocations([at(4)]))
  }

  @Test func `a recording delivers nothing between a revocation and a new grant`() async {
    let steps: [Event] = [
      .didUpdateLocations([at(1)]), .didChangeAuthorization(.denied),
      .didUpdateLocations([at(2)]), .didChangeAuthorization(.authorizedAlways),
      .didFailWithError(.locationUnknown), .didUpdateLocations([at(3)]),
    ]
    let client = LocationClient.recorded(steps.map { (.seconds(1), $0) }, status: .notDetermined, clock: clock)
    var events = client.delegate().makeAsyncIterator()
    #expect(await events.next() == .didChangeAuthorization(.notDetermined))
    client.startUpdatingLocation()
    client.requestWhenInUseAuthorization()
    #expect(await events.next() == .didChangeAuthorization(.authorizedWhenInUse))
    let driver = Task { [clock] in
      while !Task.isCancelled {
        await clock.waitForSleepers(1)
        clock.advanceToNextDeadline()
      }
    }
    for expected in [steps[0], steps[1], .didFailWithError(.denied)] + steps[3...] {
      #expect(await events.next() == expected)
    }
    driver.cancel()
    await driver.value
    #expect(client.location() == at(3))
  }

  @Test func `recorded visits, regions and headings are delivered only to started services`() async {
    let region = CircularRegion(center: .at(48, 1), radiusMeters: 100, identifier: "home")
    let visit = Visit(arrival: nil, isFinished: false, coordinate: .at(48, 1), radiusMeters: 50)
    let heading = Heading(degreesTrue: 90)
    let recordedEvents: [Event] = [
      .didUpdateHeading(heading), .didVisit(visit), .didEnterRegion(region),
      .didUpdateLocations([at(1)]),
    ]
    let steps = recordedEvents.map { (after: Duration.zero, event: $0) }
    func received(_ start: (LocationClient) -> Void) async -> [Event] {
      let client = LocationClient.recorded(steps, clock: clock)
      #expect(client.headingAvailable())
      let stream = client.delegate()
      start(client)
      client.requestLocation()
      var received: [Event] = []
      for await event in stream {
        received.append(event)
        if case .didUpdateLocations = event { break }
        if case .didFailWithError = event { break }
      }
      return Array(received.dropFirst().dropLast())
    }
    #expect(await received { $0.startUpdatingHeading() } == [.didUpdateHeading(heading)])
    #expect(await received { $0.startMonitoringVisits() } == [.didVisit(visit)])
    #expect(
      await received { $0.startMonitoringForRegion(region) } == [
        .didStartMonitoring(region: region), .didEnterRegion(region),
      ])
    #expect(await received { _ in } == [])
  }
}
