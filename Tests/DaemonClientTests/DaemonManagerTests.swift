// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import DaemonServer
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Testing

@testable import DaemonClient

@Suite("A location manager on a board with a daemon", .serialized, .timeLimit(.minutes(5)))
struct DaemonManagerTests {
  @Test("takes its status and its locations from the daemon, and opens nothing itself")
  func full() async throws {
    let board = try TestBoard()
    try board.decide(.always)
    await board.startDaemon()
    let source = ScriptedSource()
    let manager = board.manager(source, policy: DenyAll())
    #expect(manager.authorizationStatus == .authorizedAlways)
    #expect(manager.authorizationMode == .enforced)
    let listener = Listener.following(manager)
    board.say()
    let location = try #require(await listener.waitForLocations())
    #expect(location.coordinate.latitudeDegrees == 54.093468333)
    #expect(location.speedMetersPerSecond == 3)
    #expect(listener.heard.events.first == .status(.authorizedAlways, .fullAccuracy))
    #expect(source.events.events.isEmpty && board.reports.events.isEmpty)
    try await board.stopDaemon()
  }

  @Test("of reduced accuracy gets what the wire says, and nothing is taken from it again")
  func reduced() async throws {
    let board = try TestBoard()
    try board.decide(.always, reduced: true)
    await board.startDaemon()
    board.say()
    let wire = try #require(Location(try await board.client.location(timeoutSeconds: 20)))
    let manager = board.manager()
    #expect(manager.accuracyAuthorization == .reducedAccuracy)
    let listener = Listener.following(manager)
    let first = try #require(await listener.waitForLocations())
    #expect(first.coordinate == wire.coordinate && first.time == wire.time)
    #expect(first.horizontalAccuracy == wire.horizontalAccuracy)
    #expect(first.speedMetersPerSecond == nil)
    // What begins later is told the same at once, though no other comes for a quarter of an hour.
    manager.stopUpdatingLocation()
    manager.requestLocation()
    #expect(await listener.waitForLocations(2) == first)
    var updates = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    let update = await updates.next()
    #expect(update?.location == first && update?.diagnostics == .accuracyLimited)
    try await board.stopDaemon()
  }

  @Test("asks for nothing by itself; a request waits at the daemon, and the grant comes first")
  func pending() async throws {
    let board = try TestBoard()
    await board.startDaemon()
    let manager = board.manager()
    let listener = Listener.following(manager)
    board.say()
    #expect(try await !board.client.status().authorization.isPending)
    manager.requestWhenInUseAuthorization()
    let updates = LocationUpdate.liveUpdates(from: manager)
    for await update in updates
    where update.diagnostics.contains(.authorizationRequestInProgress) { break }
    let told = try await board.client.authorize(
      DaemonAuthorizationRequest(.whenInUse, purpose: "another of this process"))
    #expect(told.isPending)
    try board.decide(.always)
    await listener.waitForLocations()
    #expect(
      listener.heard.events.prefix(2) == [
        .status(.notDetermined, .fullAccuracy), .status(.authorizedAlways, .fullAccuracy),
      ])
    #expect(!manager.diagnostics.contains(.authorizationRequestInProgress))
    try await board.stopDaemon()
  }

  @Test("is told the daemon's no")
  func denied() async throws {
    let board = try TestBoard()
    try board.decide(.denied)
    await board.startDaemon()
    let source = ScriptedSource()
    let manager = board.manager(source)
    let listener = Listener.following(manager)
    board.say()
    _ = await listener.heard.wait { $0.contains(.failed(.denied)) }
    #expect(manager.authorizationStatus == .denied)
    // What is decided next comes behind on the same connection.
    try board.decide(.always)
    await listener.waitForStatus(.authorizedAlways)
    #expect(listener.locations(before: .authorizedAlways).isEmpty)
    #expect(source.events.events.isEmpty)
    try await board.stopDaemon()
  }

  @Test("hears of a revocation while locations come, and of none behind it")
  func revoked() async throws {
    let board = try TestBoard()
    try board.decide(.always)
    await board.startDaemon()
    let manager = board.manager()
    let listener = Listener.following(manager)
    board.say()
    await listener.waitForLocations()
    try board.decide(.denied)
    _ = await listener.heard.wait { $0.contains(.failed(.denied)) }
    #expect(manager.location == nil)
    let count = listener.heard.events.count
    board.say(latitude: 12.5)
    // What is decided next comes behind on the same connection.
    try board.decide(.always, reduced: true)
    let status = Listener.Event.status(.authorizedAlways, .reducedAccuracy)
    let heard = await listener.heard.wait { $0.contains(status) }
    #expect(heard.dropFirst(count).first == status)
    try await board.stopDaemon()
  }

  @Test("tells of a daemon that goes, waits for it, and goes on by its word when it is back")
  func restarted() async throws {
    let board = try TestBoard()
    try board.decide(.always)
    await board.startDaemon()
    let source = ScriptedSource()
    let manager = board.manager(source)
    let listener = Listener.following(manager)
    board.say()
    await listener.waitForLocations()
    try await board.stopDaemon()
    _ = await listener.heard.wait { $0.contains(.failed(.locationUnknown)) }
    #expect(manager.authorizationMode == .unreachable)
    #expect(manager.diagnostics.isSuperset(of: [.daemonUnreachable, .locationUnavailable]))
    #expect(manager.authorizationStatus == .authorizedAlways)
    try board.decide(.always, reduced: true)
    await board.startDaemon()
    board.say()
    await listener.waitForLocations(2)
    #expect(
      listener.heard.events.suffix(3).first == .failed(.locationUnknown)
        && listener.heard.events.suffix(2).first == .status(.authorizedAlways, .reducedAccuracy))
    #expect(manager.authorizationMode == .enforced)
    #expect(!manager.diagnostics.contains(.daemonUnreachable))
    #expect(source.events.events.isEmpty)
    #expect(board.reports.events.allSatisfy { $0.contains("/run/s") || $0.contains("daemon") })
    #expect(!board.reports.events.isEmpty)
    try await board.stopDaemon()
  }

  @Test("keeps what a rule gave it because it asked, over a daemon that is started again")
  func asksForItself() async throws {
    let board = try TestBoard(policy: "allow \(TestBoard.user)\n")
    await board.startDaemon()
    let manager = board.manager()
    let listener = Listener.following(manager)
    manager.requestAlwaysAuthorization()
    board.say()
    await listener.waitForLocations()
    try await board.stopDaemon()
    _ = await listener.heard.wait { $0.contains(.failed(.locationUnknown)) }
    await board.startDaemon()
    board.say()
    await listener.waitForLocations(2)
    // To the daemon it is another program, which nobody has asked about.
    let statuses = listener.heard.events.filter { if case .status = $0 { true } else { false } }
    #expect(
      statuses == [
        .status(.notDetermined, .fullAccuracy), .status(.authorizedAlways, .fullAccuracy),
      ])
    try await board.stopDaemon()
  }

  @Test("acts by itself where there is no daemon, and goes on so when one comes")
  func alone() async throws {
    let board = try TestBoard()
    let source = ScriptedSource()
    let manager = board.manager(source, policy: AllowAll())
    #expect(manager.authorizationMode == .cooperative)
    #expect(manager.authorizationStatus == .notDetermined)
    let listener = Listener()
    manager.delegate = listener
    manager.requestAlwaysAuthorization()
    await listener.waitForStatus(.authorizedAlways)
    manager.startUpdatingLocation()
    await source.say(TestBoard.fix(latitude: 10))
    #expect(await listener.waitForLocations()?.coordinate.latitudeDegrees == 10)
    try board.decide(.denied)
    await board.startDaemon()
    await source.say(TestBoard.fix(latitude: 20))
    #expect(await listener.waitForLocations(2)?.coordinate.latitudeDegrees == 20)
    #expect(source.events.events == ["open"] && manager.authorizationMode == .cooperative)
    // A program that starts now is served by the daemon.
    #expect(board.manager().authorizationStatus == .denied)
    try await board.stopDaemon()
  }

  @Test("acting by itself runs a source that fails again, later and later, and reports it once")
  func failingSource() async throws {
    let board = try TestBoard()
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
    // One that has told of a position is run again soon.
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

  @Test("asks a daemon that comes back for what nobody has answered before")
  func asksAgain() async throws {
    let board = try TestBoard()
    await board.startDaemon()
    let manager = board.manager()
    let listener = Listener()
    manager.delegate = listener
    manager.requestWhenInUseAuthorization()
    try await board.stopDaemon()
    await board.startDaemon()
    try board.decide(.always)
    await listener.waitForStatus(.authorizedAlways)
    try await board.stopDaemon()
    await board.startDaemon()
    // It is not asked for what has been answered.
    try board.decide(.denied)
    await listener.waitForStatus(.denied)
    try await board.stopDaemon()
  }

  @Test("where something answers that is no daemon is restricted, and says so")
  func noDaemonAnswers() async throws {
    let board = try TestBoard()
    let impostor = try Impostor(board.address.socketPath)
    let source = ScriptedSource()
    let manager = board.manager(source)
    #expect(manager.authorizationStatus == .restricted)
    #expect(manager.authorizationMode == .unreachable)
    #expect(board.reports.events.first?.contains("cannot be read") == true)
    let listener = Listener.following(manager)
    _ = await listener.heard.wait { $0.contains(.failed(.denied)) }
    // Asked a second time, as a stream.
    await impostor.asked.wait(for: 2)
    #expect(source.events.events.isEmpty)
    impostor.end()
    await board.startDaemon()
    await listener.waitForStatus(.notDetermined)
    #expect(manager.authorizationMode == .enforced)
    try await board.stopDaemon()
  }

  @Test("where the socket may not be opened is restricted, and does not do without")
  func forbidden() async throws {
    try #require(geteuid() == 0, "needs root, to be somebody else")
    let board = try TestBoard(policy: "allow everyone\n")
    await board.startDaemon()
    chmod(board.folder.path + "/run", 0o700)
    let found = EventRecorder<String>()
    let (client, reports) = (board.client, board.reports)
    // The kernel asks the thread who opens a file.
    let hasRun = await OtherUser.run {
      found.record("\(client.presence)")
      let session = DaemonSession(ifPresent: client, report: { reports.record($0) })
      found.record(session.map { "\($0.initialAuthorization.status) \($0.mode)" } ?? "none")
      do throws(DaemonClientError) { _ = try client.statusNow() } catch {
        found.record("\(error == .notPermitted(path: client.address.socketPath))")
      }
    }
    #expect(hasRun)
    #expect(found.events == ["forbidden", "restricted unreachable", "true"])
    #expect(board.reports.events.first?.contains("may not open") == true)
    try await board.stopDaemon()
  }

  @Test("is one in each mode beside another in one process")
  func bothModes() async throws {
    let (served, alone) = (try TestBoard(), try TestBoard())
    try served.decide(.always)
    await served.startDaemon()
    let source = ScriptedSource()
    let managers = (served.manager(), alone.manager(source))
    let listeners = (Listener(), Listener())
    managers.0.delegate = listeners.0
    managers.1.delegate = listeners.1
    managers.0.startUpdatingLocation()
    managers.1.startUpdatingLocation()
    served.say()
    await source.say(TestBoard.fix(latitude: 10))
    #expect(await listeners.0.waitForLocations()?.coordinate.latitudeDegrees == 54.093468333)
    #expect(await listeners.1.waitForLocations()?.coordinate.latitudeDegrees == 10)
    #expect(managers.0.authorizationMode == .enforced)
    #expect(managers.1.authorizationMode == .cooperative)
    #expect(listeners.0.locations.count == 1 && listeners.1.locations.count == 1)
    try await served.stopDaemon()
  }

  @Test("asks for one location and gets one answer")
  func oneShot() async throws {
    let board = try TestBoard()
    try board.decide(.always)
    await board.startDaemon()
    let manager = board.manager()
    let listener = Listener()
    manager.delegate = listener
    manager.requestLocation()
    board.say()
    board.say(latitude: 10)
    await listener.waitForLocations()
    // Through the same stream, behind both.
    var updates = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    _ = await updates.next()
    board.say(latitude: 20)
    _ = await updates.next()
    await manager.waitUntilDelivered()
    #expect(listener.locations.count == 1)
    try await board.stopDaemon()
  }

  @Test("of reduced accuracy gets full accuracy for a while, and hears the answer first")
  func fullForAWhile() async throws {
    let board = try TestBoard(policy: "allow \(TestBoard.user) accuracy=reduced full=10m\n")
    await board.startDaemon()
    let manager = board.manager()
    let listener = Listener()
    manager.delegate = listener
    // By the rule, which is for those who ask.
    manager.requestAlwaysAuthorization()
    manager.startUpdatingLocation()
    board.say()
    await listener.waitForLocations()
    manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") {
      listener.heard.record(.answered($0))
    }
    board.say()
    let location = await listener.waitForLocations(2)
    #expect(location?.coordinate.latitudeDegrees == 54.093468333)
    let words = listener.heard.events.filter { if case .location = $0 { false } else { true } }
    #expect(
      words == [
        .status(.notDetermined, .fullAccuracy), .status(.authorizedAlways, .reducedAccuracy),
        .answered(nil),
        .status(.authorizedAlways, .fullAccuracy),
      ])
    try board.decide(.denied)
    await listener.waitForStatus(.denied)
    try await board.stopDaemon()
  }

  @Test("that is refused for what it says is told so, and reports why")
  func badRequest() async throws {
    let board = try TestBoard()
    let fault = DaemonFault.malformed("purpose takes at most 512 bytes").json
    let head = "HTTP/1.1 400 Bad Request\r\nContent-Length: \(fault.count)\r\n\r\n"
    let daemon = try Impostor(board.address.socketPath, saying: Array(head.utf8) + fault)
    let source = ScriptedSource()
    let manager = board.manager(source)
    let listener = Listener.following(manager)
    await listener.heard.wait { $0.contains(.failed(.denied)) }
    #expect(manager.authorizationStatus == .restricted)
    #expect(manager.authorizationMode == .enforced)
    #expect(manager.diagnostics.contains(.authorizationRestricted))
    #expect(!manager.diagnostics.contains(.daemonUnreachable))
    #expect(board.reports.events == ["purpose takes at most 512 bytes"])
    #expect(source.events.events.isEmpty)
    daemon.end()
  }
}

/// A source that fails at once.
private final class BrokenSource: FixSource {
  struct Busy: Error, CustomStringConvertible { let description = "busy" }

  let name = "broken"
  /// Whether it tells of a position before.
  let hasFix = EventRecorder<Bool>()

  func run(delivering deliver: @escaping @Sendable (FixSourceEvent) -> Void) async throws {
    if !hasFix.events.isEmpty { deliver(.fix(TestBoard.fix())) }
    throw Busy()
  }
}
