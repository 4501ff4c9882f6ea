// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Synchronization
import Testing

@testable import LocationServices

@Suite("Live updates", .timeLimit(.minutes(5)))
struct LiveUpdatesTests {
  private func manager(_ policy: some AuthorizationPolicy) -> LocationManager {
    LocationManager(policy: policy, purpose: "Test")
  }

  @Test func `live updates begin with the diagnostics and continue with locations`() async throws {
    let manager = manager(ScriptedPolicy(.always))
    var updates = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    let first = try #require(await updates.next())
    #expect(first.location == nil)
    #expect(first.diagnostics == [.locationUnavailable, .noReceiver])
    manager.ingest(.fix(Fix(mode: .none)))
    #expect(await updates.next()?.diagnostics == [.locationUnavailable, .noFix])
    manager.ingest(.sky(SkyView(satellites: [])))
    #expect(await updates.next()?.satellitesInView == 0)
    manager.ingest(.fix(at: .here))
    let fourth = try #require(await updates.next())
    #expect(fourth.location?.coordinate == Location.here.coordinate)
    #expect(fourth.diagnostics == [] && fourth.missedCount == 0)
  }

  @Test func `live updates report the missing authorization`() async throws {
    let policy = ScriptedPolicy(.undecided)
    let manager = manager(policy)
    var updates = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    #expect(await updates.next()?.diagnostics == [.authorizationNotDetermined])
    manager.requestWhenInUseAuthorization()
    #expect(await updates.next()?.diagnostics == [.authorizationNotDetermined, .authorizationRequestInProgress])
    let withoutReceiver: LocationDiagnostics = [.locationUnavailable, .noReceiver]
    for (update, diagnostics): (AuthorizationUpdate, LocationDiagnostics) in [
      (.decided(.inUse), withoutReceiver),
      (.decided(.reducedAlways), withoutReceiver.union(.accuracyLimited)),
      (.decided(.restricted), .authorizationRestricted),
      (.deniedGlobally, [.authorizationDenied, .authorizationDeniedGlobally]),
    ] {
      policy.send(update)
      #expect(await updates.next()?.diagnostics == diagnostics)
    }
  }

  @Test
  func `a slow reader of live updates receives the newest update and the number of missed updates`() async throws {
    let manager = manager(ScriptedPolicy(.always))
    var slow = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    _ = await slow.next()
    for meters in 1...5 { manager.ingest(.fix(at: .north(Double(meters)))) }
    let update = try #require(await slow.next())
    #expect(update.location?.coordinate == Location.north(5).coordinate)
    #expect(update.missedCount == 4)
    // Updates are counted from the subscription, even if nothing has been read yet.
    var late = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    for meters in 6...8 { manager.ingest(.fix(at: .north(Double(meters)))) }
    let newest = try #require(await late.next())
    #expect(newest.location?.coordinate == Location.north(8).coordinate)
    #expect(newest.missedCount == 3)
  }

  @Test func `missed live updates are counted separately for each reader`() async throws {
    let manager = manager(ScriptedPolicy(.always))
    var fast = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    var slow = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    _ = await (fast.next(), slow.next())
    for round in 1...3 {
      for meters in 0..<10 {
        manager.ingest(.fix(at: .north(Double(100 * round + meters))))
        let update = try #require(await fast.next())
        #expect(update.missedCount == 0)
        #expect(update.location?.coordinate == Location.north(Double(100 * round + meters)).coordinate)
      }
      #expect(await slow.next()?.missedCount == 9)
    }
    // A new reader after a cancelled one has missed nothing.
    let task = Task { [updates = manager.liveUpdates()] in for await _ in updates {} }
    task.cancel()
    await task.value
    var again = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    #expect(await again.next()?.missedCount == 0)
  }

  @Test func `live updates do not deliver a buffered location after the grant was withdrawn`() async throws {
    let policy = ScriptedPolicy(.always)
    let manager = manager(policy)
    let delegate = RecordingDelegate()
    manager.delegate = delegate
    var updates = LocationUpdate.liveUpdates(from: manager).makeAsyncIterator()
    _ = await updates.next()
    manager.ingest(.fix(at: .here))
    policy.send(.decided(.denied))
    await delegate.recorder.wait(for: 2)
    let update = try #require(await updates.next())
    #expect(update.location == nil && update.diagnostics == [.authorizationDenied])
  }

  @Test func `several readers can read live updates at once, and new readers after others have left`() async {
    let manager = manager(ScriptedPolicy(.always))
    let updates = LocationUpdate.liveUpdates(.fitness, from: manager)
    for _ in 0..<3 {
      var first = updates.makeAsyncIterator(), second = updates.makeAsyncIterator()
      _ = await (first.next(), second.next())
      manager.ingest(.fix(at: .here))
      let received = await (first.next(), second.next())
      #expect(received.0?.location != nil && received.1?.location != nil)
    }
    #expect(manager.listenerCount == 0)
  }

  @Test func `live updates end when the manager is released`() async {
    var manager: LocationManager? = manager(ScriptedPolicy(.always))
    var updates = manager?.liveUpdates().makeAsyncIterator()
    _ = await updates?.next()
    manager = nil
    let last = await updates?.next()
    #expect(last == nil)
  }
}

@Suite("Monitors and sessions", .timeLimit(.minutes(5)))
struct MonitorTests {
  private final class Memory: MonitorStorage {
    let bytes = Mutex<[String: Data]>([:])
    func load(_ name: String) -> MonitorSnapshot? {
      bytes.withLock { $0[name] }.flatMap {
        try? JSONDecoder().decode(MonitorSnapshot.self, from: $0)
      }
    }
    func save(_ snapshot: MonitorSnapshot, for name: String) {
      bytes.withLock { $0[name] = try? JSONEncoder().encode(snapshot) }
    }
  }

  private static let home = CircularCondition(center: Location.here.coordinate, radiusMeters: 200)

  private func update(_ meters: Double, _ machine: inout MonitorMachine, seconds: Int)
    -> [MonitorEvent]
  {
    (0..<seconds).flatMap { second in
      machine.take(LocationUpdate(location: .north(meters)), at: .at(second))
    }
  }

  @Test func `a monitor reports each change of a condition once, including the first state`() {
    var machine = MonitorMachine()
    #expect(machine.add(Self.home, identifier: "home", assuming: .unknown) == nil)
    #expect(update(0, &machine, seconds: 20).map(\.state) == [.satisfied])
    #expect(update(500, &machine, seconds: 20).map(\.state) == [.unsatisfied])
    #expect(machine.take(LocationUpdate(diagnostics: .authorizationDenied), at: .at(0)).map(\.state) == [.unmonitored])
    #expect(update(500, &machine, seconds: 20).map(\.state) == [.unsatisfied])
    #expect(machine.records["home"]?.lastEvent.state == .unsatisfied)
  }

  @Test func `after an unmonitored period, a monitor reports the current state only`() {
    var machine = MonitorMachine()
    _ = machine.add(Self.home, identifier: "home", assuming: .unknown)
    #expect(update(0, &machine, seconds: 20).map(\.state) == [.satisfied])
    let denied = LocationUpdate(diagnostics: .authorizationDenied)
    #expect(machine.take(denied, at: .at(0)).map(\.state) == [.unmonitored])
    // The board moved away while it was not monitored.
    #expect(update(5000, &machine, seconds: 20).map(\.state) == [.unsatisfied])
  }

  @Test func `a monitor does not deliver a buffered event after the grant was withdrawn`() async throws {
    let policy = ScriptedPolicy(.always)
    let manager = LocationManager(policy: policy, purpose: "Test")
    let monitor = Monitor("van", manager: manager)
    var early = monitor.events().makeAsyncIterator()
    var late = monitor.events().makeAsyncIterator()
    monitor.add(Self.home, identifier: "home")
    manager.ingest(.fix(at: .here))
    #expect(await early.next()?.state == .satisfied)
    policy.send(.decided(.denied))
    #expect(await early.next()?.state == .unmonitored)
    let event = try #require(await late.next())
    #expect(event.state == .unmonitored && event.missedCount == 1)
  }

  @Test func `the assumed state of a condition causes an event only if the actual state differs`() {
    var machine = MonitorMachine()
    _ = machine.add(Self.home, identifier: "a", assuming: .satisfied)
    _ = machine.add(Self.home, identifier: "b", assuming: .unsatisfied)
    let events = update(0, &machine, seconds: 20)
    #expect(events.map(\.identifier) == ["b"] && events.map(\.state) == [.satisfied])
  }

  @Test func `a monitor refuses a 21st condition and a condition without a radius`() {
    var machine = MonitorMachine()
    let withoutRadius = CircularCondition(center: Self.home.center, radiusMeters: 0)
    #expect(machine.add(withoutRadius, identifier: "none", assuming: .unknown)?.refusal == .conditionUnsupported)
    for number in 1...20 {
      #expect(machine.add(Self.home, identifier: "\(number)", assuming: .unknown) == nil)
    }
    #expect(machine.add(Self.home, identifier: "21", assuming: .unknown)?.refusal == .conditionLimitExceeded)
    #expect(machine.records.count == 20)
    // The invalid radius is reported even if the limit is reached.
    #expect(machine.add(withoutRadius, identifier: "22", assuming: .unknown)?.refusal == .conditionUnsupported)
    // A refused replacement leaves the monitored condition unchanged.
    let inside = update(0, &machine, seconds: 20)
    #expect(inside.count == 20)
    let refused = machine.add(withoutRadius, identifier: "7", assuming: .unknown)
    #expect(refused?.refusal == .conditionUnsupported && refused?.state == .satisfied)
    #expect(machine.records["7"]?.condition == Self.home)
  }

  @Test func `a slow listener of a monitor receives the newest events and the number of missed events`() async throws {
    let manager = LocationManager(policy: ScriptedPolicy(.always), purpose: "Test")
    let monitor = Monitor("van", manager: manager)
    var fast = monitor.events().makeAsyncIterator()
    var slow = monitor.events().makeAsyncIterator()
    let withoutRadius = CircularCondition(center: Self.home.center, radiusMeters: 0)
    for number in 0..<100 {
      monitor.add(withoutRadius, identifier: "\(number)")
      let event = try #require(await fast.next())
      #expect(event.identifier == "\(number)" && event.missedCount == 0)
    }
    // The buffer holds 64 events.
    let first = try #require(await slow.next())
    #expect(first.identifier == "36" && first.missedCount == 36)
    #expect(await slow.next()?.missedCount == 0)
    var later = monitor.events().makeAsyncIterator()
    monitor.add(withoutRadius, identifier: "later")
    let event = try #require(await later.next())
    #expect(event.identifier == "later" && event.missedCount == 0)
  }

  @Test func `a monitor's conditions and their last events survive a restart`() async throws {
    let memory = Memory()
    do {
      let manager = LocationManager(policy: ScriptedPolicy(.always), purpose: "Test")
      let monitor = Monitor("van", manager: manager, storage: memory)
      var events = monitor.events().makeAsyncIterator()
      monitor.add(Self.home, identifier: "home")
      manager.ingest(.fix(at: .here))
      #expect(await events.next()?.state == .satisfied)
      #expect(monitor.record(for: "home")?.lastEvent.state == .satisfied)
    }
    let manager = LocationManager(policy: ScriptedPolicy(.always), purpose: "Test")
    let monitor = Monitor("van", manager: manager, storage: memory)
    #expect(monitor.identifiers == ["home"])
    #expect(monitor.record(for: "home")?.condition == Self.home)
    #expect(monitor.record(for: "home")?.lastEvent.state == .satisfied)
    // The stored state is not reported again, but a changed state is.
    var events = monitor.events().makeAsyncIterator()
    var away = Location.north(5000)
    monitor.add(CircularCondition(center: away.coordinate, radiusMeters: 200), identifier: "away")
    away.time = UTCTime(secondsSince1970: 0)
    manager.ingest(.fix(at: away))
    var event = try #require(await events.next())
    #expect(event.identifier == "away" && event.state == .satisfied)
    away.time = UTCTime(secondsSince1970: 20)
    manager.ingest(.fix(at: away))
    event = try #require(await events.next())
    #expect(event.identifier == "home" && event.state == .unsatisfied)
    #expect(Monitor("boat", manager: manager, storage: memory).identifiers == [])
    monitor.remove("home")
    #expect(Monitor("van", manager: manager, storage: memory).identifiers == ["away"])
  }

  @Test func `a service session requests authorization, also after a reset, and declares an activity`() async {
    let policy = ScriptedPolicy(.undecided)
    let manager = LocationManager(policy: policy, purpose: "Test")
    let session = ServiceSession(.whenInUse, manager: manager)
    #expect(await policy.requests.wait(for: 1) == [.whenInUse])
    policy.send(.decided(.inUse))
    var diagnostics = session.diagnostics.makeAsyncIterator()
    while let next = await diagnostics.next(isolation: nil),
      next.contains(.authorizationNotDetermined)
    {}
    policy.send(.decided(.undecided))
    #expect(await policy.requests.wait(for: 2).count == 2)
    session.invalidate()
    session.invalidate()
    #expect(policy.uses.events.filter { $0 == .activityEnded }.count == 1)
  }
}
