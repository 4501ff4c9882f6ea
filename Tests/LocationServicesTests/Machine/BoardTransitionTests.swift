// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

/// Rows of the table of transitions that are about a board's files, with a manager upon them.
@Suite("Transitions of authorization by a board's files", .timeLimit(.minutes(5)))
struct BoardTransitionTests {
  /// A manager whose policy is the files of a folder.
  private final class Board {
    let bench: PolicyBench
    let clock = ManualClock()
    let manager: LocationManager
    let delegate = RecordingDelegate()

    init(_ folder: borrowing ScratchFolder, _ decisions: Decision...) throws {
      for decision in decisions {
        _ = try PolicyPaths(root: folder.path).store.update { $0.record(decision) }
      }
      bench = PolicyBench(folder)
      manager = LocationManager(policy: bench.policy, purpose: "Test", clock: clock)
      manager.delegate = delegate
    }

    func record(_ decision: Decision) throws {
      _ = try bench.places.store.update { $0.record(decision) }
    }

    /// Gives a location, and what was called by the time that it was dealt with.
    func locate(_ location: Location = .here) async -> [LocationCallback] {
      manager.ingest(.fix(at: location))
      await manager.waitUntilDelivered()
      return delegate.recorder.events
    }
  }

  private static let told: LocationCallback = {
    guard case .fix(let fix) = FixSourceEvent.fix(at: .here), let location = Location(fix) else {
      return .didPauseUpdates
    }
    return .didUpdateLocations([location])
  }()
  private static func changed(_ to: Authorization) -> LocationCallback {
    .didChangeAuthorization(to)
  }
  private static let denied: LocationCallback = .didFailWithError(.denied)

  @Test("1: the authorization is told once, before all else, and never from inside a call")
  func first() async {
    let owner = QueueOwner()
    let manager = LocationManager(
      policy: ScriptedPolicy(.always), purpose: "Test", callbacksOn: owner)
    let delegate = RecordingDelegate()
    await owner.hold {
      manager.startUpdatingLocation()
      manager.delegate = delegate
      manager.ingest(.fix(at: .here))
      // It could be called here and now, were it not asynchronous.
      #expect(delegate.recorder.events == [])
    }
    await manager.waitUntilDelivered()
    #expect(delegate.recorder.events == [Self.changed(.always), Self.told])
  }

  @Test("12: an upgrade waits, and a refusal leaves the grant, tells nobody and says so")
  func upgrade() async throws {
    let folder = try ScratchFolder()
    let board = try Board(folder, .of(.whenInUse))
    var updates = LocationUpdate.liveUpdates(from: board.manager).makeAsyncIterator()
    board.manager.requestAlwaysAuthorization()
    _ = await board.bench.lines.wait(for: 1)
    #expect(try board.bench.places.store.read().pending.map(\.request) == [.always])
    #expect(board.manager.diagnostics.contains(.authorizationRequestInProgress))
    try board.record(.of(.whenInUse, noMore: true))
    await board.bench.look()
    while let update = await updates.next() {
      if update.diagnostics.contains(.alwaysAuthorizationDenied) { break }
    }
    #expect(!board.manager.diagnostics.contains(.authorizationRequestInProgress))
    // Once only.
    board.manager.requestAlwaysAuthorization()
    await board.manager.waitUntilDelivered()
    #expect(board.delegate.recorder.events == [Self.changed(.inUse)])
    #expect(try board.bench.places.store.read().pending.isEmpty)
  }

  @Test("19: what is granted while in use comes while updates are started, whoever is logged in")
  func use() async throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("run/systemd/system")
    try folder.makeFolder("run/systemd/users")
    let board = try Board(folder, .of(.whenInUse))
    board.manager.startUpdatingLocation()
    #expect(await board.locate() == [Self.changed(.inUse), Self.told])
    board.manager.stopUpdatingLocation()
    #expect(await board.locate() == [Self.changed(.inUse), Self.told])
  }

  @Test("28: full accuracy answers who asked, then tells the delegate; its end tells it again")
  func fullAccuracy() async throws {
    let folder = try ScratchFolder()
    let board = try Board(folder, .of(.always, reduced: true))
    let order = EventRecorder<String>()
    let watcher = RecordingDelegate { manager, _ in
      order.record("\(manager.accuracyAuthorization)")
    }
    board.manager.delegate = watcher
    await order.wait(for: 1)
    board.manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") { error in
      order.record(error.map { "\($0)" } ?? "granted")
    }
    _ = await board.bench.lines.wait(for: 1)
    _ = try board.bench.places.store.update {
      $0.record(
        FullAccuracyLease(
          selector: .init(userID: 1000), created: .noon, validForSeconds: 600, grantedBy: 0))
    }
    await board.bench.look()
    #expect(await order.wait(for: 3) == ["reducedAccuracy", "granted", "fullAccuracy"])
    _ = try board.bench.places.store.update { $0.refuseFullAccuracy(.init(userID: 1000)) }
    await board.bench.look()
    #expect(await order.wait(for: 4).last == "reducedAccuracy")
    // A key without words is none, and the answer an error, without any call of the delegate.
    board.manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: " ") { error in
      order.record(error.map { "\($0)" } ?? "granted")
    }
    #expect(await order.wait(for: 5).last == "\(LocationError.promptDeclined)")
    await board.manager.waitUntilDelivered()
    #expect(order.events.count == 5)
  }

  @Test("30: after a restart what holds is told, and a change alone after that")
  func restart() async throws {
    let folder = try ScratchFolder()
    do {
      let board = try Board(folder, .of(.always))
      board.manager.startUpdatingLocation()
      #expect(await board.locate() == [Self.changed(.always), Self.told])
    }
    let board = try Board(folder)
    board.manager.startUpdatingLocation()
    await board.bench.look(3)
    #expect(await board.locate() == [Self.changed(.always), Self.told])
    try board.record(.of(.whenInUse))
    await board.bench.look(3)
    let calls = await board.delegate.recorder.wait(for: 3)
    #expect(calls == [Self.changed(.always), Self.told, Self.changed(.inUse)])
  }

  @Test("31: a policy that is written anew to the same effect tells nothing")
  func sameEffect() async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/a.conf", "allow everyone level=when-in-use\n")
    let board = try Board(folder)
    board.manager.startUpdatingLocation()
    board.manager.requestAlwaysAuthorization()
    await board.delegate.recorder.wait(for: 2)
    for text in [
      "# the same\nallow everyone level=when-in-use\n",
      "allow uid=1000\tlevel=when-in-use\ndeny uid=1\n",
    ] {
      try folder.write("etc/fixcast/policy.d/a.conf", text)
      await board.bench.look(3)
    }
    try folder.write("etc/fixcast/policy.d/a.conf", "deny everyone\n")
    await board.bench.look(3)
    #expect(
      await board.delegate.recorder.wait(for: 4)
        == [Self.changed(.undecided), Self.changed(.inUse), Self.changed(.denied), Self.denied])
  }

  @Test("33: answers that are damaged restrict at once, and nothing comes after")
  func damaged() async throws {
    let folder = try ScratchFolder()
    let board = try Board(folder, .of(.always))
    board.manager.startUpdatingLocation()
    #expect(await board.locate() == [Self.changed(.always), Self.told])
    let good = try folder.read("var/lib/fixcast/decisions.json")
    try folder.write("var/lib/fixcast/decisions.json", "{")
    await board.bench.look()
    await board.delegate.recorder.wait(for: 4)
    #expect(
      await board.locate()
        == [Self.changed(.always), Self.told, Self.changed(.restricted), Self.denied])
    #expect(board.manager.location == nil)
    #expect(board.manager.diagnostics == [.authorizationRestricted])
    // What is asked for meanwhile does nothing; mended, the answer of before holds again.
    board.manager.requestAlwaysAuthorization()
    try folder.write("var/lib/fixcast/decisions.json", good)
    await board.bench.look()
    #expect(await board.delegate.recorder.wait(for: 5).last == Self.changed(.always))
    #expect(await board.locate().last == Self.told)
  }
}
