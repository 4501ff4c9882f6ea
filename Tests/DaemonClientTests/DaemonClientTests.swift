// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import DaemonProtocol
import DaemonServer
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import SystemSupport
import Testing

@Suite("Daemon client", .serialized, .timeLimit(.minutes(5)))
struct DaemonClientTests {
  private static func fix(latitude: Double = 54.093468333) -> Fix {
    .at(latitude, 10.824651667) { $0.receivedAt = .now() }
  }

  /// Runs a server while `body` runs.
  private func withServer(
    policy: String = "", _ body: (SocketServer, DaemonClient, PolicyPaths) async throws -> Void
  ) async throws {
    let folder = try ScratchFolder()
    try folder.write("root/etc/fixcast/policy.d/test.conf", policy)
    let address = DaemonAddress(socketPath: folder.path + "/s")
    let places = PolicyPaths(root: folder.path + "/root")
    var configuration = SocketServer.Configuration(address: address, policyPaths: places)
    configuration.trustedUsers = []
    let server = SocketServer(
      configuration, now: { .now() },
      status: { ServerStatus(forEverybody: Array(#"{"in":1}"#.utf8)) }, report: { _ in })
    let ready = EventRecorder<Bool>()
    let running = Task { try await server.run { ready.record(true) } }
    _ = await ready.wait(for: 1)
    let client = DaemonClient(address: address, now: { .now() })
    do { try await body(server, client, places) } catch {
      running.cancel()
      throw error
    }
    running.cancel()
    try await running.value
    #expect(!client.isListening)
  }

  @Test func `a client gets status and location, and a refusal contains the command that grants access`() async throws {
    let user = ClientSelector(userID: geteuid())
    try await withServer(policy: "allow \(user)") { server, client, places in
      #expect(client.isListening)
      let status = try await client.status()
      #expect(status.authorization.authorization.status == .notDetermined)
      #expect(status.daemon == Array(#"{"in":1}"#.utf8))
      server.publish(.fix(Self.fix()))
      let fix = try await client.location(timeoutSeconds: 20, purpose: "test")
      #expect(fix.coordinate?.latitudeDegrees == 54.093468333)
      let granted = try await client.authorize(DaemonAuthorizationRequest(.whenInUse, purpose: "x"))
      #expect(granted.authorization.status.isAuthorized)
      _ = try places.store.update {
        $0.record(Decision(selector: user, level: .denied, created: .now(), grantedBy: 0))
      }
      await #expect {
        try await client.location(timeoutSeconds: 20)
      } throws: { error in
        if case DaemonClientError.notAuthorized(let fault) = error {
          fault.advice?.contains("fixcast auth allow") == true
        } else {
          false
        }
      }
    }
  }

  @Test func `without a daemon, a request fails with noDaemon`() async {
    let client = DaemonClient(address: DaemonAddress(socketPath: "/nonexistent/s"), now: { .now() })
    #expect(!client.isListening)
    await #expect(throws: DaemonClientError.noDaemon(path: "/nonexistent/s")) {
      try await client.status()
    }
  }

  @Test func `a location manager delivers the daemon's locations and reports a revocation`() async throws {
    let user = ClientSelector(userID: geteuid())
    try await withServer { server, client, places in
      let session = try await DaemonSession(client, purpose: "follow the board")
      #expect(session.initialAuthorization.status == .notDetermined)
      let manager = LocationManager(policy: session, purpose: "follow the board")
      let listener = Listener()
      manager.delegate = listener
      manager.startUpdatingLocation()
      let running = Task { await session.run { manager.ingest($0) } }
      manager.requestWhenInUseAuthorization()
      // An operator grants the pending request.
      _ = try places.store.update {
        $0.record(Decision(selector: user, level: .always, created: .now(), grantedBy: 0))
      }
      let granted = await listener.statuses.wait { $0.contains(.authorizedAlways) }
      try #require(granted.contains(.authorizedAlways), "\(granted) \(session.authorization)")
      server.publish(.fix(Self.fix()))
      let locations = await listener.locations.wait(for: 1)
      try #require(!locations.isEmpty, "\(session.authorization)")
      _ = try places.store.update {
        $0.record(Decision(selector: user, level: .denied, created: .now(), grantedBy: 0))
      }
      let revoked = await listener.statuses.wait { $0.last == .denied }
      try #require(revoked.last == .denied, "\(revoked) \(session.authorization)")
      server.publish(.fix(Self.fix(latitude: 12.5)))
      // The next decision is made while the same connection is open.
      var reduced = Decision(selector: user, level: .always, created: .now(), grantedBy: 0)
      reduced.isReduced = true
      _ = try places.store.update { [reduced] in $0.record(reduced) }
      let widened = await listener.statuses.wait { $0.last == .authorizedAlways }
      try #require(widened.last == .authorizedAlways, "\(widened) \(session.authorization)")
      #expect(!listener.locations.events.contains { $0.coordinate.latitudeDegrees == 12.5 })
      running.cancel()
      await running.value
    }
  }

  private final class Listener: LocationManagerDelegate {
    let locations = EventRecorder<Location>()
    let statuses = EventRecorder<AuthorizationStatus>()

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
      statuses.record(manager.authorizationStatus)
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      for location in locations { self.locations.record(location) }
    }
  }

  @Test func `a daemon session delivers the loss of a receiver, but not the failure of a plugin`() async throws {
    let user = ClientSelector(userID: geteuid())
    try await withServer(policy: "allow \(user)") { server, client, _ in
      let events = EventRecorder<FixSourceEvent>()
      let session = try await DaemonSession(client, purpose: "test")
      let running = Task { await session.run { events.record($0) } }
      server.publish(.fix(Self.fix()))
      await events.wait(for: 1)
      let failure = #"{"class":"ERROR","error":"plugin","message":"disk full","source":"gpx"}"#
      server.publish(.object(ServerObject(name: "ERROR", json: Array(failure.utf8), for: .authorized)))
      let loss = SourceLoss(.deactivated, receiver: "/dev/ttyACM0", detail: "unplugged")
      server.publish(.lost(loss, source: "auto"))
      let delivered = await events.wait {
        $0.contains { if case .lost = $0 { true } else { false } }
      }
      #expect(delivered.last == .lost(loss) && delivered.count == 2)
      running.cancel()
      await running.value
    }
  }

  @Test func `after a restart of the daemon, a daemon session reconnects with back-off`() async throws {
    let clock = ManualClock()
    let folder = try ScratchFolder()
    let address = DaemonAddress(socketPath: folder.path + "/s")
    let places = PolicyPaths(root: folder.path + "/root")
    var configuration = SocketServer.Configuration(address: address, policyPaths: places)
    configuration.trustedUsers = [geteuid()]
    let events = EventRecorder<DaemonSession.Event>()
    func serve() async -> Task<Void, any Error> {
      let server = SocketServer(configuration, now: { .now() }, report: { _ in })
      let ready = EventRecorder<Bool>()
      let running = Task { try await server.run { ready.record(true) } }
      _ = await ready.wait(for: 1)
      return running
    }
    let first = await serve()
    let session = try await DaemonSession(
      DaemonClient(address: address, now: { .now() }), watchesSocket: false, clock: clock)
    let following = Task { await session.follow { events.record($0) } }
    _ = await events.wait(for: 1)
    first.cancel()
    try await first.value
    for seconds in [1, 1, 2, 4] {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(seconds))
    }
    // Three attempts to connect fail. The daemon is restarted after the third attempt.
    let absent = DaemonSession.Event.lost(.noDaemon(path: address.socketPath))
    await events.wait { $0.count { $0 == absent } == 3 }
    let second = await serve()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(8))
    let allEvents = await events.wait {
      $0.count { if case .object = $0 { true } else { false } } == 2
    }
    #expect(allEvents.count { $0 == absent } == 3)
    following.cancel()
    await following.value
    second.cancel()
    try await second.value
  }
}
