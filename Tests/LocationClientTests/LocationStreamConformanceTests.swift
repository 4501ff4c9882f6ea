// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import FixcastTesting
import LocationClient
import LocationServices
import Positioning
import ReceiverSimulator
import Receivers
import Testing

/// Checks the streams of all location clients, simulated and live, with one suite.
@Suite("Location streams", .timeLimit(.minutes(5)))
struct LocationStreamConformanceTests {
  typealias Event = LocationClient.DelegateEvent

  private func breaches(
    of client: LocationClient, provoke: @escaping @Sendable () async -> @Sendable (Event) -> Bool
  ) async -> [String] {
    let suite = StreamConformance(
      beginning: .state { .didChangeAuthorization(client.authorizationStatus()) },
      provoke: provoke, subscribe: client.delegate)
    return await suite.breaches().map(\.description)
  }

  @Test func `simulated clients send the status first, then the answer to all listeners`()
    async
  {
    let here = Location.at(48.2, 16.4)
    let granted = LocationClient.notDetermined
    granted.requestWhenInUseAuthorization()
    let refused = LocationClient.notDeterminedDenied
    refused.requestWhenInUseAuthorization()
    let scenes: [(LocationClient, Event?)] = [
      (.authorizedWhenInUse(locatedAt: here), .didUpdateLocations([here])),
      (.authorizedWhenInUse(locatedAt: nil), .didFailWithError(.locationUnknown)),
      (.authorizedAlways, nil), (granted, nil),
      (refused, .didFailWithError(.denied)),
      (.denied, .didFailWithError(.denied)), (.restricted, .didFailWithError(.denied)),
    ]
    for (client, answer) in scenes {
      let violations = await breaches(of: client) {
        client.requestLocation()
        return { event in
          if let answer { return event == answer }
          if case .didUpdateLocations = event { return true }
          return false
        }
      }
      #expect(violations == [])
    }
  }

  @Test func `all listeners receive each status change, and late listeners the current status`()
    async
  {
    let clock = ManualClock()
    let statuses: [AuthorizationStatus] = [.authorizedAlways, .denied, .authorizedWhenInUse]
    let changes = (0..<12).map { index in
      (after: Duration.seconds(1), event: Event.didChangeAuthorization(statuses[index % 3]))
    }
    let client = LocationClient.recorded(changes, status: .notDetermined, clock: clock)
    client.startMonitoringVisits()
    let violations = await breaches(of: client) {
      let last = client.authorizationStatus()
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      return { event in
        guard case .didChangeAuthorization(let status) = event else { return false }
        return status != last
      }
    }
    #expect(violations == [])
    #expect(client.authorizationStatus() != .notDetermined)
  }

  @Test func `a recorded client delivers each location to all listeners`() async {
    let clock = ManualClock()
    let track = (0..<10).map { Location.at(48, Double($0)) }
    let client = LocationClient.recorded(track, every: .seconds(1), clock: clock)
    client.startUpdatingLocation()
    let violations = await breaches(of: client) {
      let last = client.location()
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      return { event in
        guard case .didUpdateLocations(let locations) = event else { return false }
        return locations != last.map { [$0] }
      }
    }
    #expect(violations == [])
  }

  @Test func `streams of a live client with a simulated receiver follow all stream rules`()
    async throws
  {
    let clock = ManualClock()
    let receiver = try SimulatedReceiver(.init(start: UTCTime(secondsSince1970: 1_767_225_600)))
    let source = SimulatedSource(receiver: receiver, clock: clock)
    let manager = LocationManager(policy: AllowAll(initially: .authorizedWhenInUse), purpose: "Test")
    let client = LocationClient.live(manager)
    client.startUpdatingLocation()
    let positions = EventRecorder<UTCTime?>()
    let pump = Task {
      await source.run { event in
        manager.ingest(event)
        if case .fix(let fix) = event, fix.coordinate != nil { positions.record(fix.time) }
      }
    }
    let violations = await breaches(of: client) {
      let count = positions.events.count
      while positions.events.count == count, !Task.isCancelled {
        await clock.waitForSleepers(1)
        clock.advanceToNextDeadline()
      }
      let time = positions.events.last
      return { event in
        guard case .didUpdateLocations(let locations) = event else { return false }
        return locations.last?.time == time && locations.last?.isSimulated == true
      }
    }
    #expect(violations == [])
    pump.cancel()
    await pump.value
  }
}
