// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing

@testable import LocationServices

@Suite("A request for one location", .timeLimit(.minutes(5)))
struct OneShotTests {
  private let clock = ManualClock()
  private let delegate = RecordingDelegate()

  private func manager(_ authorization: Authorization) -> LocationManager {
    let manager = LocationManager(
      policy: ScriptedPolicy(authorization), purpose: "Test", requestTimeout: .seconds(5),
      clock: clock)
    manager.desiredAccuracy = .nearestTenMeters
    manager.delegate = delegate
    return manager
  }

  /// Lets the time of the request pass.
  private func timeOut(_ manager: LocationManager) async {
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
  }

  @Test("is answered by the first location that is precise enough")
  func reached() async {
    let manager = manager(.always)
    manager.requestLocation()
    manager.ingest(.fix(at: .north(1, accuracyMeters: 50)))
    manager.ingest(.fix(at: .north(2, accuracyMeters: 9)))
    manager.ingest(.fix(at: .north(3, accuracyMeters: 2)))
    let calls = await delegate.recorder.wait(for: 2)
    #expect(calls.count == 2)
    #expect(manager.location?.horizontalAccuracyMeters == 9)
  }

  @Test("is answered in the end by the most precise so far, rather than by an error")
  func worse() async throws {
    let manager = manager(.always)
    manager.requestLocation()
    for meters in [200.0, 40, 90] {
      manager.ingest(.fix(at: .north(meters, accuracyMeters: meters)))
    }
    await timeOut(manager)
    let calls = await delegate.recorder.wait(for: 2)
    guard case .didUpdateLocations(let told) = calls[1] else {
      Issue.record("\(calls)")
      return
    }
    #expect(told.map(\.horizontalAccuracyMeters) == [40])
  }

  @Test("fails only where there was nothing")
  func nothing() async {
    let manager = manager(.always)
    manager.requestLocation()
    manager.ingest(.fix(Fix(mode: .none)))
    await timeOut(manager)
    #expect(
      await delegate.recorder.wait(for: 2)
        == [.didChangeAuthorization(.always), .didFailWithError(.locationUnknown)])
  }

  @Test("is cancelled by a start and by a stop, silently", arguments: [true, false])
  func cancelled(byStart: Bool) async {
    let manager = manager(.always)
    manager.requestLocation()
    manager.ingest(.fix(at: .north(0, accuracyMeters: 50)))
    await clock.waitForSleepers(1)
    if byStart { manager.startUpdatingLocation() } else { manager.stopUpdatingLocation() }
    // Its timer is gone with it, at once.
    #expect(clock.sleeperCount == 0)
    await manager.waitUntilDelivered()
    #expect(delegate.recorder.events == [.didChangeAuthorization(.always)])
  }

  @Test("is nothing while updates run")
  func updating() async {
    let manager = manager(.always)
    manager.startUpdatingLocation()
    manager.requestLocation()
    // Before a timer sleeps it is there.
    #expect(manager.state.withLock { $0.timers.isEmpty })
    manager.ingest(.fix(at: .here))
    #expect(await delegate.recorder.wait(for: 2).count == 2)
  }

  @Test(
    "is refused at once while denied or locked", arguments: [Authorization.denied, .restricted])
  func denied(authorization: Authorization) async {
    let manager = manager(authorization)
    manager.requestLocation()
    #expect(
      await delegate.recorder.wait(for: 2)
        == [.didChangeAuthorization(authorization), .didFailWithError(.denied)])
  }

  @Test("ends with denied where nobody was asked, and without a position where somebody was")
  func undetermined() async {
    let manager = manager(.undecided)
    manager.requestLocation()
    await timeOut(manager)
    await delegate.recorder.wait(for: 2)
    manager.requestWhenInUseAuthorization()
    manager.requestLocation()
    await timeOut(manager)
    #expect(
      await delegate.recorder.wait(for: 3) == [
        .didChangeAuthorization(.undecided), .didFailWithError(.denied),
        .didFailWithError(.locationUnknown),
      ])
    #expect(
      manager.diagnostics.isSuperset(
        of: [.authorizationNotDetermined, .authorizationRequestInProgress]))
  }

  @Test("of which two are made is answered once")
  func two() async {
    let manager = manager(.always)
    manager.requestLocation()
    manager.requestLocation()
    await timeOut(manager)
    await delegate.recorder.wait(for: 2)
    await manager.waitUntilDelivered()
    #expect(delegate.recorder.events.count == 2)
  }
}
