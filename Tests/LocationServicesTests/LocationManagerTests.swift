// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing

@testable import LocationServices

@Suite("Location manager", .timeLimit(.minutes(5)))
struct LocationManagerTests {
  /// Records each callback together with the manager's properties during the callback.
  private final class Recorder: LocationManagerDelegate {
    enum Call: Equatable {
      case authorization(AuthorizationStatus)
      case locations(Int, same: Bool)
      case error(LocationError)
    }

    let calls: AsyncStream<Call>
    private let continuation: AsyncStream<Call>.Continuation
    private let depth = Mutex(0)
    private let whenAuthorized: @Sendable (LocationManager) -> Void
    private let whenReleased: @Sendable () -> Void

    init(
      whenReleased: @escaping @Sendable () -> Void = {},
      whenAuthorized: @escaping @Sendable (LocationManager) -> Void = { _ in }
    ) {
      (calls, continuation) = AsyncStream.makeStream()
      self.whenAuthorized = whenAuthorized
      self.whenReleased = whenReleased
    }

    deinit { whenReleased() }

    private func enter() {
      depth.withLock {
        #expect($0 == 0); $0 += 1
      }
    }
    private func leave() { depth.withLock { $0 -= 1 } }

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
      enter()
      continuation.yield(.authorization(manager.authorizationStatus))
      if manager.authorizationStatus.isAuthorized { whenAuthorized(manager) }
      leave()
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
      enter()
      continuation.yield(.locations(locations.count, same: manager.location == locations.last))
      leave()
    }

    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
      enter()
      continuation.yield(.error(error))
      leave()
    }

    func next(_ count: Int) async -> [Call] {
      var result: [Call] = []
      for await call in calls.prefix(count) { result.append(call) }
      return result
    }
  }

  private func fix(latitude: Double = 51.5) -> FixSourceEvent {
    .fix(.at(latitude))
  }

  @Test func `a manager reports the initial authorization first, then the grant, then a location`() async {
    let manager = LocationManager(policy: AllowAll(), purpose: "Test")
    let recorder = Recorder(whenAuthorized: { manager in
      // The callback itself calls the manager.
      manager.startUpdatingLocation()
      manager.ingest(.fix(Fix(mode: .none)))
    })
    manager.delegate = recorder
    manager.requestWhenInUseAuthorization()
    #expect(
      await recorder.next(3) == [
        .authorization(.notDetermined), .authorization(.authorizedWhenInUse),
        .error(.locationUnknown),
      ])
    manager.ingest(fix())
    #expect(await recorder.next(1) == [.locations(1, same: true)])
  }

  /// A clock that runs a closure when it is read the next time.
  private final class InterruptingClock: Clock {
    private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

    func interrupt(_ body: @escaping @Sendable () -> Void) {
      interruption.withLock { $0 = body }
    }

    var now: ContinuousClock.Instant {
      let body = interruption.withLock { held in
        defer { held = nil }
        return held
      }
      body?()
      return ContinuousClock.now
    }

    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
      try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
    }
  }

  @Test func `a manager reports the authorization first, even if a fix arrives at the same moment`() async {
    let clock = InterruptingClock()
    let manager = LocationManager(policy: AllowAll(initially: .authorizedAlways), purpose: "Test", clock: clock)
    manager.startUpdatingLocation()
    let recorder = Recorder()
    clock.interrupt { [fix = fix()] in manager.ingest(fix) }
    manager.delegate = recorder
    #expect(await recorder.next(1) == [.authorization(.authorizedAlways)])
  }

  @Test func `no change is lost if two settings of a manager are changed at once`() {
    let clock = InterruptingClock()
    let manager = LocationManager(policy: AllowAll(initially: .authorizedAlways), purpose: "Test", clock: clock)
    clock.interrupt { manager.headingFilter = 7 }
    manager.distanceFilter = 50
    #expect(manager.distanceFilter == 50 && manager.headingFilter == 7)
  }

  @Test func `a manager delivers no location if the policy refuses authorization`() async {
    let manager = LocationManager(policy: DenyAll(), purpose: "Test")
    let recorder = Recorder()
    manager.delegate = recorder
    manager.startUpdatingLocation()
    manager.requestAlwaysAuthorization()
    #expect(
      await recorder.next(3) == [
        .authorization(.notDetermined), .authorization(.denied), .error(.denied),
      ])
    manager.ingest(fix())
    manager.requestLocation()
    #expect(await recorder.next(1) == [.error(.denied)])
    #expect(manager.location == nil)
  }

  @Test func `a one-shot request fails at its timeout`() async {
    let clock = ManualClock()
    let manager = LocationManager(
      policy: AllowAll(initially: .authorizedAlways), purpose: "Test", requestTimeout: .seconds(5),
      clock: clock)
    let recorder = Recorder()
    manager.delegate = recorder
    manager.requestLocation()
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    #expect(await recorder.next(2) == [.authorization(.authorizedAlways), .error(.locationUnknown)])
  }

  @Test func `a manager's callbacks run on the actor that its creator chose`() async {
    final class MainOnly: LocationManagerDelegate {
      let statuses = AsyncStream.makeStream(of: AuthorizationStatus.self)
      func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
        MainActor.assumeIsolated { _ = statuses.continuation.yield(manager.authorizationStatus) }
      }
    }
    let manager = LocationManager(
      policy: AllowAll(initially: .authorizedAlways), purpose: "Test", callbacksOn: MainActor.shared
    )
    let delegate = MainOnly()
    manager.delegate = delegate
    var iterator = delegate.statuses.stream.makeAsyncIterator()
    #expect(await iterator.next() == .authorizedAlways)
  }

  @Test func `a manager's callbacks run on the task executor that its creator chose`() async {
    final class Listener: LocationManagerDelegate {
      let tasks = QueueTasks()
      let calls = EventRecorder<Bool>()
      func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
        calls.record(tasks.isCurrent)
      }
      func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
        calls.record(tasks.isCurrent)
      }
    }
    let listener = Listener()
    let manager = LocationManager(
      policy: AllowAll(initially: .authorizedAlways), purpose: "Test", executor: listener.tasks)
    manager.delegate = listener
    manager.startUpdatingLocation()
    manager.ingest(fix())
    #expect(await listener.calls.wait(for: 2) == [true, true])
  }

  @Test func `a manager's reference to its delegate is weak, and its policy may outlive the manager`() async {
    let policy = ScriptedPolicy(.always)
    let released = EventRecorder<Void>()
    do {
      let manager = LocationManager(policy: policy, purpose: "Test")
      do {
        let recorder = Recorder(whenReleased: { released.record(()) })
        manager.delegate = recorder
        #expect(await recorder.next(1) == [.authorization(.authorizedAlways)])
      }
      // A running callback may keep the delegate alive for a moment longer.
      #expect(await released.wait(for: 1).count == 1)
      #expect(manager.delegate == nil)
      manager.startUpdatingLocation()
    }
    // The manager notes the end of the service when it is released.
    #expect(await policy.uses.wait(for: 2) == [.started(.updates), .stopped(.updates, locationCount: 0)])
  }

  @Test func `a manager's location property is cleared when accuracy is reduced`() async {
    let policy = ScriptedPolicy(Authorization(.authorizedAlways))
    let manager = LocationManager(policy: policy, purpose: "Test")
    let recorder = Recorder()
    manager.delegate = recorder
    manager.startUpdatingLocation()
    manager.ingest(fix(latitude: 51.512345))
    _ = await recorder.next(2)
    #expect(manager.location?.coordinate == .at(51.512345, 0))
    policy.send(.decided(Authorization(.authorizedAlways, accuracy: .reducedAccuracy)))
    _ = await recorder.next(1)
    #expect(manager.location == nil)
    manager.ingest(fix(latitude: 51.512345))
    #expect(await recorder.next(1) == [.locations(1, same: true)])
    #expect(manager.location?.coordinate.latitudeDegrees == 51.525)
  }

  @Test func `a one-shot request that was answered or cancelled has no timer`() async {
    let clock = ManualClock()
    let manager = LocationManager(
      policy: AllowAll(initially: .authorizedAlways), purpose: "Test", requestTimeout: .seconds(30),
      clock: clock)
    let recorder = Recorder()
    manager.delegate = recorder
    for _ in 1...3 {
      manager.requestLocation()
      await clock.waitForSleepers(1)
      manager.ingest(fix())
      #expect(clock.sleeperCount == 0)
    }
    #expect(await recorder.next(4).count == 4)
    // A cancelled request has no timer, either.
    manager.requestLocation()
    await clock.waitForSleepers(1)
    manager.stopUpdatingLocation()
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a revocation by the policy reaches the delegate`() async {
    let policy = ScriptedPolicy(Authorization(.authorizedAlways))
    let manager = LocationManager(policy: policy, purpose: "Test")
    let recorder = Recorder()
    manager.delegate = recorder
    manager.startUpdatingLocation()
    manager.ingest(fix())
    #expect(await recorder.next(2) == [.authorization(.authorizedAlways), .locations(1, same: true)])
    policy.send(.decided(Authorization(.denied)))
    #expect(await recorder.next(2) == [.authorization(.denied), .error(.denied)])
    #expect(manager.location == nil)
  }
}
