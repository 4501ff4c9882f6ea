// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

/// The rows of the table in `TransitionTests` that involve files, with a `LocationManager`.
@Suite("Authorization changes caused by files of a board", .timeLimit(.minutes(5)))
struct BoardTransitionTests {
  /// A manager whose policy reads the files of a folder.
  private final class Fixture {
    let fixture: PolicyFixture
    let clock = ManualClock()
    let manager: LocationManager
    let delegate = RecordingDelegate()

    init(_ folder: borrowing ScratchFolder, _ decisions: Decision...) throws {
      for decision in decisions {
        _ = try PolicyPaths(root: folder.path).store.update { $0.record(decision) }
      }
      fixture = PolicyFixture(folder)
      manager = LocationManager(policy: fixture.policy, purpose: "Test", clock: clock)
      manager.delegate = delegate
    }

    func record(_ decision: Decision) throws {
      _ = try fixture.places.store.update { $0.record(decision) }
    }

    /// Ingests a location; returns all callbacks made until the location has been processed.
    func locate(_ location: Location = .here) async -> [LocationCallback] {
      manager.ingest(.fix(at: location))
      await manager.waitUntilDelivered()
      return delegate.recorder.events
    }
  }

  private static let delivered: LocationCallback = {
    guard case .fix(let fix) = FixSourceEvent.fix(at: .here), let location = Location(fix) else {
      return .didPauseUpdates
    }
    return .didUpdateLocations([location])
  }()
  private static func changed(_ to: Authorization) -> LocationCallback {
    .didChangeAuthorization(to)
  }
  private static let denied: LocationCallback = .didFailWithError(.denied)

  @Test func `1: the authorization is reported once, before other callbacks, and not synchronously`() async {
    let owner = QueueOwner()
    let manager = LocationManager(policy: ScriptedPolicy(.always), purpose: "Test", callbacksOn: owner)
    let delegate = RecordingDelegate()
    await owner.hold {
      manager.startUpdatingLocation()
      manager.delegate = delegate
      manager.ingest(.fix(at: .here))
      // If callbacks were synchronous, the delegate would already have been called.
      #expect(delegate.recorder.events == [])
    }
    await manager.waitUntilDelivered()
    #expect(delegate.recorder.events == [Self.changed(.always), Self.delivered])
  }

  @Test func `12: a refused upgrade keeps the grant, causes no callback and sets the diagnostics`() async throws {
    let folder = try ScratchFolder()
    let board = try Fixture(folder, .of(.whenInUse))
    var updates = LocationUpdate.liveUpdates(from: board.manager).makeAsyncIterator()
    board.manager.requestAlwaysAuthorization()
    _ = await board.fixture.lines.wait(for: 1)
    #expect(try board.fixture.places.store.read().pending.map(\.request) == [.always])
    #expect(board.manager.diagnostics.contains(.authorizationRequestInProgress))
    try board.record(.of(.whenInUse, refusesAlways: true))
    await board.fixture.checkFiles()
    while let update = await updates.next() {
      if update.diagnostics.contains(.alwaysAuthorizationDenied) { break }
    }
    #expect(!board.manager.diagnostics.contains(.authorizationRequestInProgress))
    // The upgrade can be requested only once.
    board.manager.requestAlwaysAuthorization()
    await board.manager.waitUntilDelivered()
    #expect(board.delegate.recorder.events == [Self.changed(.inUse)])
    #expect(try board.fixture.places.store.read().pending.isEmpty)
  }

  @Test func `19: a when-in-use grant applies while updates run, even without a login session`() async throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("run/systemd/system")
    try folder.makeFolder("run/systemd/users")
    let board = try Fixture(folder, .of(.whenInUse))
    board.manager.startUpdatingLocation()
    #expect(await board.locate() == [Self.changed(.inUse), Self.delivered])
    board.manager.stopUpdatingLocation()
    #expect(await board.locate() == [Self.changed(.inUse), Self.delivered])
  }

  @Test func `28: the caller gets the full-accuracy answer before the delegate is notified`() async throws {
    let folder = try ScratchFolder()
    let board = try Fixture(folder, .of(.always, reduced: true))
    let order = EventRecorder<String>()
    let watcher = RecordingDelegate { manager, _ in
      order.record("\(manager.accuracyAuthorization)")
    }
    board.manager.delegate = watcher
    await order.wait(for: 1)
    board.manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") { error in
      order.record(error.map { "\($0)" } ?? "granted")
    }
    _ = await board.fixture.lines.wait(for: 1)
    _ = try board.fixture.places.store.update {
      $0.record(FullAccuracyLease(selector: .init(userID: 1000), created: .noon, validForSeconds: 600, grantedBy: 0))
    }
    await board.fixture.checkFiles()
    #expect(await order.wait(for: 3) == ["reducedAccuracy", "granted", "fullAccuracy"])
    _ = try board.fixture.places.store.update { $0.refuseFullAccuracy(.init(userID: 1000)) }
    await board.fixture.checkFiles()
    #expect(await order.wait(for: 4).last == "reducedAccuracy")
    // An empty key is refused with an error, without a call of the delegate.
    board.manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: " ") { error in
      order.record(error.map { "\($0)" } ?? "granted")
    }
    #expect(await order.wait(for: 5).last == "\(LocationError.promptDeclined)")
    await board.manager.waitUntilDelivered()
    #expect(order.events.count == 5)
  }

  @Test func `30: after a restart, the authorization is reported once, then only its changes`() async throws {
    let folder = try ScratchFolder()
    do {
      let board = try Fixture(folder, .of(.always))
      board.manager.startUpdatingLocation()
      #expect(await board.locate() == [Self.changed(.always), Self.delivered])
    }
    let board = try Fixture(folder)
    board.manager.startUpdatingLocation()
    await board.fixture.checkFiles(3)
    #expect(await board.locate() == [Self.changed(.always), Self.delivered])
    try board.record(.of(.whenInUse))
    await board.fixture.checkFiles(3)
    let calls = await board.delegate.recorder.wait(for: 3)
    #expect(calls == [Self.changed(.always), Self.delivered, Self.changed(.inUse)])
  }

  @Test func `31: a rewritten policy with the same effect causes no callback`() async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/a.conf", "allow everyone level=when-in-use\n")
    let board = try Fixture(folder)
    board.manager.startUpdatingLocation()
    board.manager.requestAlwaysAuthorization()
    await board.delegate.recorder.wait(for: 2)
    for text in [
      "# the same\nallow everyone level=when-in-use\n",
      "allow uid=1000\tlevel=when-in-use\ndeny uid=1\n",
    ] {
      try folder.write("etc/fixcast/policy.d/a.conf", text)
      await board.fixture.checkFiles(3)
    }
    try folder.write("etc/fixcast/policy.d/a.conf", "deny everyone\n")
    await board.fixture.checkFiles(3)
    #expect(
      await board.delegate.recorder.wait(for: 4)
        == [Self.changed(.undecided), Self.changed(.inUse), Self.changed(.denied), Self.denied])
  }

  @Test func `33: a damaged decision store restricts access at once, and no location follows`() async throws {
    let folder = try ScratchFolder()
    let board = try Fixture(folder, .of(.always))
    board.manager.startUpdatingLocation()
    #expect(await board.locate() == [Self.changed(.always), Self.delivered])
    let good = try folder.read("var/lib/fixcast/decisions.json")
    try folder.write("var/lib/fixcast/decisions.json", "{")
    await board.fixture.checkFiles()
    await board.delegate.recorder.wait(for: 4)
    #expect(await board.locate() == [Self.changed(.always), Self.delivered, Self.changed(.restricted), Self.denied])
    #expect(board.manager.location == nil)
    #expect(board.manager.diagnostics == [.authorizationRestricted])
    // A request has no effect now. After the repair, the previous decision applies again.
    board.manager.requestAlwaysAuthorization()
    try folder.write("var/lib/fixcast/decisions.json", good)
    await board.fixture.checkFiles()
    #expect(await board.delegate.recorder.wait(for: 5).last == Self.changed(.always))
    #expect(await board.locate().last == Self.delivered)
  }
}
