// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import DaemonServer
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Testing

@testable import DaemonClient

@Suite("Location manager with a daemon", .serialized, .timeLimit(.minutes(5)))
struct DaemonManagerTests {
  @Test func `a location manager gets status and locations from a running daemon, and opens no source`() async throws {
    let board = try await BoardFixture.serving(.always)
    let source = ScriptedSource()
    let manager = await board.manager(source, policy: DenyAll())
    #expect(manager.authorizationStatus == .authorizedAlways)
    #expect(manager.authorizationMode == .enforced)
    let listener = Listener.following(manager)
    board.publishFix()
    let location = try #require(await listener.waitForLocations())
    #expect(location.coordinate.latitudeDegrees == 54.093468333)
    #expect(location.speedMetersPerSecond == 3)
    #expect(listener.received.events.first == .status(.authorizedAlways, .fullAccuracy))
    #expect(source.events.events.isEmpty && board.reports.events.isEmpty)
    try await board.stopDaemon()
  }

  @Test func `a location manager delivers the daemon's reduced location without reducing it again`() async throws {
    let board = try await BoardFixture.serving(.always, reduced: true)
    board.publishFix()
    let daemonLocation = try #require(Location(try await board.client.location(timeoutSeconds: 20)))
    let manager = await board.manager()
    #expect(manager.accuracyAuthorization == .reducedAccuracy)
    let listener = Listener.following(manager)
    let first = try #require(await listener.waitForLocations())
    #expect(first.coordinate == daemonLocation.coordinate && first.time == daemonLocation.time)
    #expect(first.horizontalAccuracy == daemonLocation.horizontalAccuracy)
    #expect(first.speedMetersPerSecond == nil)
    // A later request gets the same location at once, without waiting for the next update.
    manager.stopUpdatingLocation()
    manager.requestLocation()
    #expect(await listener.waitForLocations(2) == first)
    var updates = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    let update = await updates.next()
    #expect(update?.location == first && update?.diagnostics == .accuracyLimited)
    try await board.stopDaemon()
  }

  @Test
  func `a location manager requests no authorization itself, and reports a grant before locations`() async throws {
    let board = try await BoardFixture.serving()
    let manager = await board.manager()
    let listener = Listener.following(manager)
    board.publishFix()
    #expect(try await !board.client.status().authorization.isPending)
    manager.requestWhenInUseAuthorization()
    let updates = LocationUpdate.liveUpdates(from: manager)
    for await update in updates
    where update.diagnostics.contains(.authorizationRequestInProgress) { break }
    let authorization = try await board.client.authorize(
      DaemonAuthorizationRequest(.whenInUse, purpose: "another of this process"))
    #expect(authorization.isPending)
    try board.decide(.always)
    await listener.waitForLocations()
    #expect(
      listener.received.events.prefix(2) == [
        .status(.notDetermined, .fullAccuracy), .status(.authorizedAlways, .fullAccuracy),
      ])
    #expect(!manager.diagnostics.contains(.authorizationRequestInProgress))
    try await board.stopDaemon()
  }

  @Test func `a location manager reports the daemon's denial`() async throws {
    let board = try await BoardFixture.serving(.denied)
    let source = ScriptedSource()
    let manager = await board.manager(source)
    let listener = Listener.following(manager)
    board.publishFix()
    _ = await listener.received.wait { $0.contains(.failed(.denied)) }
    #expect(manager.authorizationStatus == .denied)
    try board.decide(.always)
    await listener.waitForStatus(.authorizedAlways)
    #expect(listener.locations(before: .authorizedAlways).isEmpty)
    #expect(source.events.events.isEmpty)
    try await board.stopDaemon()
  }

  @Test func `a location manager reports a revocation, and delivers no location after the revocation`() async throws {
    let board = try await BoardFixture.serving(.always)
    let manager = await board.manager()
    let listener = Listener.following(manager)
    board.publishFix()
    await listener.waitForLocations()
    try board.decide(.denied)
    _ = await listener.received.wait { $0.contains(.failed(.denied)) }
    #expect(manager.location == nil)
    let count = listener.received.events.count
    board.publishFix(latitude: 12.5)
    try board.decide(.always, reduced: true)
    let status = Listener.Event.status(.authorizedAlways, .reducedAccuracy)
    let events = await listener.received.wait { $0.contains(status) }
    #expect(events.dropFirst(count).first == status)
    try await board.stopDaemon()
  }

  @Test func `a location manager reports an unreachable daemon, and resumes after the daemon's restart`() async throws {
    let board = try await BoardFixture.serving(.always)
    let source = ScriptedSource()
    let manager = await board.manager(source)
    let listener = Listener.following(manager)
    board.publishFix()
    await listener.waitForLocations()
    try await board.stopDaemon()
    _ = await listener.received.wait { $0.contains(.failed(.locationUnknown)) }
    #expect(manager.authorizationMode == .unreachable)
    #expect(manager.diagnostics.isSuperset(of: [.daemonUnreachable, .locationUnavailable]))
    #expect(manager.authorizationStatus == .authorizedAlways)
    try board.decide(.always, reduced: true)
    await board.startDaemon()
    board.publishFix()
    await listener.waitForLocations(2)
    #expect(
      listener.received.events.suffix(3).first == .failed(.locationUnknown)
        && listener.received.events.suffix(2).first == .status(.authorizedAlways, .reducedAccuracy))
    #expect(manager.authorizationMode == .enforced)
    #expect(!manager.diagnostics.contains(.daemonUnreachable))
    #expect(source.events.events.isEmpty)
    #expect(board.reports.events.allSatisfy { $0.contains("/run/s") || $0.contains("daemon") })
    #expect(!board.reports.events.isEmpty)
    try await board.stopDaemon()
  }

  @Test
  func `a location manager repeats its request after a restart of the daemon, and keeps the grant`() async throws {
    let board = try await BoardFixture.serving(policy: "allow \(BoardFixture.user)\n")
    let manager = await board.manager()
    let listener = Listener.following(manager)
    manager.requestAlwaysAuthorization()
    board.publishFix()
    await listener.waitForLocations()
    try await board.stopDaemon()
    _ = await listener.received.wait { $0.contains(.failed(.locationUnknown)) }
    await board.startDaemon()
    board.publishFix()
    await listener.waitForLocations(2)
    // The restarted daemon has not received this program's request, so the manager repeats it.
    let statuses = listener.received.events.filter { if case .status = $0 { true } else { false } }
    #expect(
      statuses == [
        .status(.notDetermined, .fullAccuracy), .status(.authorizedAlways, .fullAccuracy),
      ])
    try await board.stopDaemon()
  }

  @Test func `a location manager created without a daemon keeps its own source when a daemon starts`() async throws {
    let board = try BoardFixture()
    let source = ScriptedSource()
    let manager = await board.manager(source, policy: AllowAll())
    #expect(manager.authorizationMode == .cooperative)
    #expect(manager.authorizationStatus == .notDetermined)
    let listener = Listener.listening(to: manager)
    manager.requestAlwaysAuthorization()
    await listener.waitForStatus(.authorizedAlways)
    manager.startUpdatingLocation()
    await source.deliver(BoardFixture.fix(latitude: 10))
    #expect(await listener.waitForLocations()?.coordinate.latitudeDegrees == 10)
    try board.decide(.denied)
    await board.startDaemon()
    await source.deliver(BoardFixture.fix(latitude: 20))
    #expect(await listener.waitForLocations(2)?.coordinate.latitudeDegrees == 20)
    #expect(source.events.events == ["open"] && manager.authorizationMode == .cooperative)
    // A program that is started now uses the daemon.
    #expect(await board.manager().authorizationStatus == .denied)
    try await board.stopDaemon()
  }

  @Test func `without a daemon, a failing source is restarted with back-off and reported once`() async throws {
    let board = try BoardFixture()
    let clock = ManualClock()
    let (runs, broken) = (EventRecorder<Bool>(), BrokenSource())
    let manager = LocationManager(
      purpose: "follow the board", daemon: board.address,
      otherwise: InProcess(
        policy: { AllowAll(initially: .authorizedAlways) },
        source: {
          runs.record(true)
          return broken
        }),
      clock: clock, report: { [reports = board.reports] in reports.record($0) })
    for (count, seconds) in [1, 2, 4].enumerated() {
      #expect(await runs.wait(for: count + 1).count == count + 1)
      await clock.waitForSleepers()
      clock.advance(by: .seconds(seconds))
    }
    // After a fix, the back-off starts with the first delay again.
    await runs.wait(for: 4)
    broken.hasFix.record(true)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(8))
    await runs.wait(for: 5)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    await runs.wait(for: 6)
    #expect(board.reports.events == ["busy"])
    withExtendedLifetime(manager) {}
  }

  @Test func `an undecided authorization request is repeated after a restart of the daemon`() async throws {
    let board = try await BoardFixture.serving()
    let manager = await board.manager()
    let listener = Listener.listening(to: manager)
    manager.requestWhenInUseAuthorization()
    try await board.stopDaemon()
    await board.startDaemon()
    try board.decide(.always)
    await listener.waitForStatus(.authorizedAlways)
    try await board.stopDaemon()
    await board.startDaemon()
    // A decided request is not repeated.
    try board.decide(.denied)
    await listener.waitForStatus(.denied)
    try await board.stopDaemon()
  }

  @Test func `a location manager is restricted and reports an error if another program owns the socket`() async throws {
    let board = try BoardFixture()
    let impostor = try Impostor(board.address.socketPath)
    let source = ScriptedSource()
    let manager = await board.manager(source)
    #expect(manager.authorizationStatus == .restricted)
    #expect(manager.authorizationMode == .unreachable)
    #expect(board.reports.events.first?.contains("unexpected answer") == true)
    let listener = Listener.following(manager)
    _ = await listener.received.wait { $0.contains(.failed(.denied)) }
    // The second request opens the stream.
    await impostor.requests.wait(for: 2)
    #expect(source.events.events.isEmpty)
    impostor.end()
    await board.startDaemon()
    await listener.waitForStatus(.notDetermined)
    #expect(manager.authorizationMode == .enforced)
    try await board.stopDaemon()
  }

  @Test func `a program that may not open the socket is restricted, and does not open its own source`() async throws {
    try #require(geteuid() == 0, "needs root to act as another user")
    let board = try await BoardFixture.serving(policy: "allow everyone\n")
    chmod(board.folder.path + "/run", 0o700)
    let results = EventRecorder<String>()
    let (client, reports) = (board.client, board.reports)
    // The kernel checks the user of the thread that opens a file.
    let hasRun = await OtherUser.run {
      results.record("\(client.presence)")
      let session = DaemonSession(ifPresent: client, report: { reports.record($0) })
      results.record(session.map { "\($0.initialAuthorization.status) \($0.mode)" } ?? "none")
      do throws(DaemonClientError) { _ = try client.statusNow() } catch {
        results.record("\(error == .notPermitted(path: client.address.socketPath))")
      }
    }
    #expect(hasRun)
    #expect(results.events == ["forbidden", "restricted unreachable", "true"])
    #expect(board.reports.events.first?.contains("may not open") == true)
    try await board.stopDaemon()
  }

  @Test func `one process can have two location managers, one with and one without a daemon`() async throws {
    let (servedBoard, otherBoard) = (try BoardFixture(), try BoardFixture())
    try servedBoard.decide(.always)
    await servedBoard.startDaemon()
    let source = ScriptedSource()
    let managers = await (servedBoard.manager(), otherBoard.manager(source))
    let listeners = (Listener(), Listener())
    managers.0.delegate = listeners.0
    managers.1.delegate = listeners.1
    managers.0.startUpdatingLocation()
    managers.1.startUpdatingLocation()
    servedBoard.publishFix()
    await source.deliver(BoardFixture.fix(latitude: 10))
    #expect(await listeners.0.waitForLocations()?.coordinate.latitudeDegrees == 54.093468333)
    #expect(await listeners.1.waitForLocations()?.coordinate.latitudeDegrees == 10)
    #expect(managers.0.authorizationMode == .enforced)
    #expect(managers.1.authorizationMode == .cooperative)
    #expect(listeners.0.locations.count == 1 && listeners.1.locations.count == 1)
    try await servedBoard.stopDaemon()
  }

  @Test func `a one-shot request of a location manager delivers a single location`() async throws {
    let board = try await BoardFixture.serving(.always)
    let manager = await board.manager()
    let listener = Listener.listening(to: manager)
    manager.requestLocation()
    board.publishFix()
    board.publishFix(latitude: 10)
    await listener.waitForLocations()
    // The updates use the same stream, and arrive after both fixes.
    var updates = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    _ = await updates.next()
    board.publishFix(latitude: 20)
    _ = await updates.next()
    await manager.waitUntilDelivered()
    #expect(listener.locations.count == 1)
    try await board.stopDaemon()
  }

  @Test func `a location manager with reduced accuracy gets temporary full accuracy after the decision`() async throws {
    let board = try await BoardFixture.serving(policy: "allow \(BoardFixture.user) accuracy=reduced full=10m\n")
    let manager = await board.manager()
    let listener = Listener.listening(to: manager)
    // The rule applies only after a request.
    manager.requestAlwaysAuthorization()
    manager.startUpdatingLocation()
    board.publishFix()
    await listener.waitForLocations()
    manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") {
      listener.received.record(.answered($0))
    }
    board.publishFix()
    let location = await listener.waitForLocations(2)
    #expect(location?.coordinate.latitudeDegrees == 54.093468333)
    let otherEvents = listener.received.events.filter {
      if case .location = $0 { false } else { true }
    }
    #expect(
      otherEvents == [
        .status(.notDetermined, .fullAccuracy), .status(.authorizedAlways, .reducedAccuracy),
        .answered(nil),
        .status(.authorizedAlways, .fullAccuracy),
      ])
    try board.decide(.denied)
    await listener.waitForStatus(.denied)
    try await board.stopDaemon()
  }

  @Test
  func `a location manager whose request the daemon rejects is restricted, and reports the reason`() async throws {
    let board = try BoardFixture()
    let fault = DaemonFault.malformed("purpose takes at most 512 bytes").json
    let head = "HTTP/1.1 400 Bad Request\r\nContent-Length: \(fault.count)\r\n\r\n"
    let daemon = try Impostor(board.address.socketPath, answer: Array(head.utf8) + fault)
    let source = ScriptedSource()
    let manager = await board.manager(source)
    let listener = Listener.following(manager)
    await listener.received.wait { $0.contains(.failed(.denied)) }
    #expect(manager.authorizationStatus == .restricted)
    #expect(manager.authorizationMode == .enforced)
    #expect(manager.diagnostics.contains(.authorizationRestricted))
    #expect(!manager.diagnostics.contains(.daemonUnreachable))
    #expect(board.reports.events == ["purpose takes at most 512 bytes"])
    #expect(source.events.events.isEmpty)
    daemon.end()
  }
}
