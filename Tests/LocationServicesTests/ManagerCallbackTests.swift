// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing

@testable import LocationServices

@Suite("Callbacks of a location manager", .timeLimit(.minutes(5)))
struct ManagerCallbackTests {
  @Test func `a manager without a purpose requests no authorization`() async {
    let policy = ScriptedPolicy(.undecided)
    let manager = LocationManager(policy: policy, purpose: " ")
    manager.requestWhenInUseAuthorization()
    #expect(manager.diagnostics == [.authorizationNotDetermined, .purposeMissing])
    #expect(policy.requests.events.isEmpty)
  }

  @Test func `a full-accuracy grant is reported to the caller, then to the delegate, and expires`() async {
    let clock = ManualClock()
    let manager = LocationManager(
      policy: ScriptedPolicy(
        .reducedAlways, fullAccuracy: .granted(duration: .seconds(60))), purpose: "Test",
      clock: clock)
    let order = EventRecorder<String>()
    let delegate = RecordingDelegate { manager, _ in
      order.record("\(manager.accuracyAuthorization)")
    }
    manager.delegate = delegate
    manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") { error in
      order.record(error == nil ? "granted" : "refused")
    }
    #expect(await order.wait(for: 3) == ["reducedAccuracy", "granted", "fullAccuracy"])
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(60))
    #expect(await order.wait(for: 4).last == "reducedAccuracy")
  }

  @Test func `a refused or unnecessary full-accuracy request is answered with an error`() async {
    for (authorization, error): (Authorization, LocationError) in [
      (.reducedAlways, .promptDeclined), (.always, .promptDeclined), (.denied, .denied),
    ] {
      let manager = LocationManager(policy: ScriptedPolicy(authorization), purpose: "Test")
      let answers = EventRecorder<LocationError?>()
      manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") {
        answers.record($0)
      }
      #expect(await answers.wait(for: 1) == [error])
    }
  }

  /// A policy that answers only when its task is cancelled.
  private final class Silent: AuthorizationPolicy {
    let asked = EventRecorder<String>()
    let ended = EventRecorder<String>()
    var initialAuthorization: Authorization { .init(.notDetermined, accuracy: .reducedAccuracy) }

    private func wait(_ request: String) async {
      asked.record(request)
      // The clock is never advanced, so that only cancellation ends the wait.
      try? await ManualClock().sleep(for: .seconds(1))
      ended.record(request)
    }

    func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer {
      await wait("\(request)")
      return .decided(.denied)
    }

    func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
      await wait(purposeKey)
      return .declined
    }
  }

  /// A policy with reduced accuracy that answers full-accuracy requests only on cancellation.
  private final class Reduced: AuthorizationPolicy {
    let silent = Silent()
    var initialAuthorization: Authorization { .reducedAlways }
    func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer {
      .decided(.denied)
    }
    func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer {
      await silent.decideFullAccuracy(purposeKey: purposeKey)
    }
  }

  @Test func `at release, a manager answers pending full-accuracy requests on the callback executor`() async {
    let owner = QueueOwner()
    let answers = EventRecorder<LocationError?>()
    let executorChecks = EventRecorder<Bool>()
    do {
      let manager = LocationManager(policy: Reduced(), purpose: "Test", callbacksOn: owner)
      manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") {
        executorChecks.record(owner.queue.isCurrent)
        answers.record($0)
      }
    }
    #expect(await answers.wait(for: 1) == [.promptDeclined])
    #expect(executorChecks.events == [true])
  }

  @Test func `a pending authorization request is cancelled when the manager is released`() async {
    let policy = Silent()
    do {
      let manager = LocationManager(policy: policy, purpose: "Test")
      manager.requestWhenInUseAuthorization()
      await policy.asked.wait(for: 1)
    }
    #expect(await policy.ended.wait(for: 1) == ["whenInUse"])
  }

  @Test func `full-accuracy requests beyond the limit are refused, and every request is answered`() async {
    let owner = QueueOwner()
    let policy = Reduced()
    let answers = EventRecorder<LocationError?>()
    do {
      let manager = LocationManager(policy: policy, purpose: "Test", callbacksOn: owner)
      for number in 1...40 {
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "\(number)") {
          answers.record($0)
        }
      }
      #expect(await answers.wait(for: 24).allSatisfy { $0 == .promptDeclined })
      #expect(answers.events.count == 24)
      #expect(await policy.silent.asked.wait(for: 16).count == 16)
    }
    #expect(await answers.wait(for: 40).count == 40)
  }

  @Test func `queued completions for a blocked executor are limited, and drops are counted`() async {
    let owner = QueueOwner()
    let manager = LocationManager(
      policy: ScriptedPolicy(.always), purpose: "Test", callbacksOn: owner, callbackLimit: 4)
    let answers = EventRecorder<LocationError?>()
    await owner.hold {
      // Accuracy is full already, so each request is refused at once, while the executor is
      // blocked.
      for _ in 1...20 {
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") {
          answers.record($0)
        }
      }
    }
    await manager.waitUntilDelivered()
    #expect(answers.events.count == 4)
    #expect(manager.droppedCallbackCount == 16)
    #expect(manager.state.withLock { $0.deliveries.pendingCompletions.isEmpty })
  }

  @Test func `a manager's callbacks run on an actor with a custom executor`() async {
    let owner = QueueOwner()
    let manager = LocationManager(
      policy: ScriptedPolicy(.always), purpose: "Test", callbacksOn: owner)
    let executorChecks = EventRecorder<Bool>()
    let delegate = RecordingDelegate { _, _ in executorChecks.record(owner.queue.isCurrent) }
    manager.delegate = delegate
    manager.startUpdatingLocation()
    manager.ingest(.fix(at: .here))
    #expect(await executorChecks.wait(for: 2) == [true, true])
    #expect(delegate.recorder.events.first == .didChangeAuthorization(.always))
  }

  @Test func `a delegate set after locations arrived receives the authorization first, no old location`() async {
    let manager = LocationManager(policy: ScriptedPolicy(.always), purpose: "Test")
    manager.startUpdatingLocation()
    for _ in 0..<50 { manager.ingest(.fix(at: .here)) }
    let delegate = RecordingDelegate()
    manager.delegate = delegate
    manager.ingest(.fix(at: .north(1)))
    let calls = await delegate.recorder.wait(for: 2)
    #expect(calls.first == .didChangeAuthorization(.always))
    guard case .didUpdateLocations(let locations) = calls[1] else {
      Issue.record("\(calls)")
      return
    }
    #expect(locations.map(\.coordinate) == [Location.north(1).coordinate])
  }

  @Test(arguments: [true, false])
  func `a thousand locations are delivered in order, one at a time, despite calls from callbacks`(isOnMain: Bool) async
  {
    actor Owner {}
    // The manager does not retain the actor.
    let owner: any Actor = isOnMain ? MainActor.shared : Owner()
    let manager = LocationManager(
      policy: ScriptedPolicy(.always), purpose: "Test", callbacksOn: owner, callbackLimit: 4096)
    let depth = Mutex(0)
    let delegate = RecordingDelegate { manager, callback in
      depth.withLock {
        $0 += 1
        #expect($0 == 1)
      }
      if case .didUpdateLocations(let locations) = callback {
        #expect(manager.location == locations.last)
        manager.startUpdatingLocation()
        manager.distanceFilter = nil
        manager.requestLocation()
      }
      depth.withLock { $0 -= 1 }
    }
    manager.delegate = delegate
    manager.startUpdatingLocation()
    for meters in 1...1000 { manager.ingest(.fix(at: .north(Double(meters)))) }
    let calls = await delegate.recorder.wait(for: 1001)
    #expect(calls.first == .didChangeAuthorization(.always))
    let coordinates = calls.dropFirst().map { call -> Coordinate? in
      if case .didUpdateLocations(let locations) = call { locations.last?.coordinate } else { nil }
    }
    #expect(coordinates == (1...1000).map { Location.north(Double($0)).coordinate })
    withExtendedLifetime(owner) {}
  }

  @Test func `the policy is notified of each service use with its number of locations`() async {
    let policy = ScriptedPolicy(.always)
    let manager = LocationManager(policy: policy, purpose: "Test")
    manager.startUpdatingLocation()
    for _ in 0..<3 { manager.ingest(.fix(at: .here)) }
    manager.stopUpdatingLocation()
    manager.requestLocation()
    manager.ingest(.fix(at: .here))
    #expect(
      policy.uses.events == [
        .started(.updates), .firstLocation(.updates), .stopped(.updates, locationCount: 3),
        .started(.oneShot), .firstLocation(.oneShot), .stopped(.oneShot, locationCount: 1),
      ])
  }

  @Test func `the policy is notified of live updates, and of a session only as an activity`() async {
    let policy = ScriptedPolicy(.always)
    let manager = LocationManager(policy: policy, purpose: "Test")
    let session = ServiceSession(.always, manager: manager)
    manager.ingest(.fix(at: .here))
    do {
      let reader = manager.liveUpdates().makeAsyncIterator()
      for _ in 0..<3 { manager.ingest(.fix(at: .here)) }
      withExtendedLifetime(reader) {}
    }
    // The manager detects the end of a reader with the next event. The stream may end late, because
    // another thread may still be delivering to it.
    while manager.listenerCount > 0 { await Task.yield() }
    manager.ingest(.fix(at: .here))
    #expect(
      policy.uses.events == [
        .activityBegan(reason: "service session"), .started(.liveUpdates),
        .firstLocation(.liveUpdates), .stopped(.liveUpdates, locationCount: 3),
      ])
    withExtendedLifetime(session) {}
  }

  @Test func `the first location of a live reader counts as a use`() async {
    let policy = ScriptedPolicy(.reducedAlways)
    let manager = LocationManager(policy: policy, purpose: "Test")
    for count in 1...2 {
      let reader = manager.liveUpdates().makeAsyncIterator()
      if count == 1 { manager.ingest(.fix(at: .here)) }
      withExtendedLifetime(reader) {}
    }
    manager.ingest(.sky(SkyView(satellites: [])))
    #expect(
      policy.uses.events == [
        .started(.liveUpdates), .firstLocation(.liveUpdates),
        .stopped(.liveUpdates, locationCount: 2),
      ])
  }

  @Test func `the policy is notified of the end of running services when the manager is released`() async {
    let policy = ScriptedPolicy(.always)
    do {
      let manager = LocationManager(policy: policy, purpose: "Test")
      manager.startUpdatingLocation()
      manager.ingest(.fix(at: .here))
      manager.startMonitoring(
        for: CircularRegion(
          center: Location.here.coordinate, radiusMeters: 200, identifier: "home"))
    }
    #expect(
      await policy.uses.wait(for: 5).suffix(2) == [
        .stopped(.updates, locationCount: 1), .stopped(.regions, locationCount: 0),
      ])
  }

  @Test func `monitored regions are stored on each change and restored by the next manager`() async {
    final class Memory: MonitoringStorage {
      let saved = Mutex<MonitoringState?>(nil)
      func load() -> MonitoringState? { saved.withLock { $0 } }
      func save(_ state: MonitoringState) { saved.withLock { $0 = state } }
    }
    let memory = Memory()
    let home = CircularRegion(
      center: Location.here.coordinate, radiusMeters: 200, identifier: "home")
    do {
      let manager = LocationManager(
        policy: ScriptedPolicy(.always), purpose: "Test", storage: memory)
      manager.startMonitoring(for: home)
      manager.ingest(.fix(at: .here))
    }
    let manager = LocationManager(
      policy: ScriptedPolicy(.always), purpose: "Test", storage: memory)
    #expect(manager.monitoredRegions == [home])
    let delegate = RecordingDelegate()
    manager.delegate = delegate
    manager.requestState(for: home)
    #expect(await delegate.recorder.wait(for: 2).last == .didDetermineState(.inside, home))
  }

  @Test func `headings from fixes of any mode are filtered and delivered`() async {
    let manager = LocationManager(policy: ScriptedPolicy(.always), purpose: "Test")
    let delegate = RecordingDelegate()
    manager.delegate = delegate
    manager.startUpdatingHeading()
    #expect(!manager.headingAvailable)
    for degrees in [10.0, 10.5, 12] {
      var fix = Fix(mode: .none)
      fix.headingDegreesTrue = degrees
      manager.ingest(.fix(fix))
    }
    #expect(
      await delegate.recorder.wait(for: 3).dropFirst()
        == [
          .didUpdateHeading(Heading(degreesTrue: 10)), .didUpdateHeading(Heading(degreesTrue: 12)),
        ])
    #expect(manager.headingAvailable && manager.heading?.degreesTrue == 12)
  }
}
