// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import DaemonServer
import FixcastTesting
import LocationClient
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing

@Suite("Live location client with a daemon", .serialized, .timeLimit(.minutes(5)))
struct DaemonLocationClientTests {
  typealias Event = LocationClient.DelegateEvent

  @Test func `the delegate stream of a client with a daemon passes the conformance suite`() async throws {
    let board = try await BoardFixture.serving(.always)
    let client = LocationClient.live(await board.manager())
    client.startUpdatingLocation()
    let server = try #require(board.server)
    let second = Mutex<Int64>(1_767_225_600)
    let suite = StreamConformance<Event>(
      beginning: .state { .didChangeAuthorization(client.authorizationStatus()) },
      patience: .seconds(60),
      provoke: {
        let time = second.withLock { second in
          second += 1
          return second
        }
        server.publish(.fix(BoardFixture.fix(time: time)))
        return { event in
          guard case .didUpdateLocations(let locations) = event else { return false }
          return locations.last?.time == UTCTime(secondsSince1970: time)
        }
      }, subscribe: client.delegate)
    #expect(await suite.breaches().map(\.description) == [])
    try await board.stopDaemon()
  }

  @Test func `a location client reports a grant, reduced accuracy, a denial and the daemon's exit`() async throws {
    let board = try await BoardFixture.serving()
    let client = LocationClient.live(await board.manager())
    #expect(client.authorizationStatus() == .notDetermined)
    var events = client.delegate().makeAsyncIterator()
    #expect(await events.next() == .didChangeAuthorization(.notDetermined))
    client.startUpdatingLocation()
    client.requestWhenInUseAuthorization()
    try board.decide(.always, reduced: true)
    #expect(await events.next() == .didChangeAuthorization(.authorizedAlways))
    #expect(client.accuracyAuthorization() == .reducedAccuracy)
    board.publishFix()
    let daemonLocation = try #require(Location(try await board.client.location(timeoutSeconds: 20)))
    guard case .didUpdateLocations(let locations)? = await events.next() else {
      Issue.record("no location")
      return
    }
    #expect(locations.map(\.coordinate) == [daemonLocation.coordinate])
    #expect(locations.map(\.horizontalAccuracy) == [daemonLocation.horizontalAccuracy])
    try board.decide(.denied)
    #expect(await events.next() == .didChangeAuthorization(.denied))
    #expect(await events.next() == .didFailWithError(.denied))
    try board.decide(.always)
    #expect(await events.next() == .didChangeAuthorization(.authorizedAlways))
    guard case .didUpdateLocations? = await events.next() else {
      Issue.record("no location")
      return
    }
    try await board.stopDaemon()
    #expect(await events.next() == .didFailWithError(.locationUnknown))
    #expect(client.diagnostics().contains(.daemonUnreachable))
  }

  @Test func `a live client of this board uses the daemon if there is one, and otherwise the process`() async throws {
    let board = try BoardFixture()
    let source = ScriptedSource()
    // The call blocks until the daemon responds, so it needs a thread that the daemon does not use.
    let live: @Sendable () -> LocationClient = { [address = board.address] in
      LocationClient.live(
        purpose: "follow the board", daemon: address,
        otherwise: InProcess(policy: { AllowAll(initially: .authorizedAlways) }, source: { source }))
    }
    let own = await BlockingThread.value(live)
    #expect(own.authorizationStatus() == .authorizedAlways)
    #expect(await Self.latitude(of: own) { await source.deliver(BoardFixture.fix(latitude: 10)) } == 10)

    try board.decide(.always, reduced: true)
    await board.startDaemon()
    // The source of the process is still open, and is not opened again.
    let served = await BlockingThread.value(live)
    let latitude = await Self.latitude(of: served) { board.publishFix(latitude: 54.0934) }
    #expect(latitude != nil && latitude != 54.0934)
    #expect(served.accuracyAuthorization() == .reducedAccuracy)
    #expect(own.accuracyAuthorization() == .fullAccuracy)
    #expect(source.events.events == ["open"])
    try await board.stopDaemon()
  }

  /// Returns the latitude of the client's first location after an action.
  private static func latitude(of client: LocationClient, after send: () async -> Void) async -> Double? {
    let events = client.delegate()
    client.startUpdatingLocation()
    await send()
    for await event in events {
      guard case .didUpdateLocations(let locations) = event else { continue }
      return locations.last?.coordinate.latitudeDegrees
    }
    return nil
  }
}
