// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing

@testable import LocationServices

@Suite("One-shot requests", .timeLimit(.minutes(5)))
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

  /// Advances the clock to the timeout of the request.
  private func timeOut(_ manager: LocationManager) async {
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
  }

  @Test func `a one-shot request is answered with the first location within the desired accuracy`() async {
    let manager = manager(.always)
    manager.requestLocation()
    manager.ingest(.fix(at: .north(1, accuracyMeters: 50)))
    manager.ingest(.fix(at: .north(2, accuracyMeters: 9)))
    manager.ingest(.fix(at: .north(3, accuracyMeters: 2)))
    let calls = await delegate.recorder.wait(for: 2)
    #expect(calls.count == 2)
    #expect(manager.location?.horizontalAccuracyMeters == 9)
  }

  @Test func `at the timeout, a one-shot request is answered with the most precise location so far`() async throws {
    let manager = manager(.always)
    manager.requestLocation()
    for meters in [200.0, 40, 90] {
      manager.ingest(.fix(at: .north(meters, accuracyMeters: meters)))
    }
    await timeOut(manager)
    let calls = await delegate.recorder.wait(for: 2)
    guard case .didUpdateLocations(let locations) = calls[1] else {
      Issue.record("\(calls)")
      return
    }
    #expect(locations.map(\.horizontalAccuracyMeters) == [40])
  }

  @Test func `a one-shot request fails at the timeout if there was no location`() async {
    let manager = manager(.always)
    manager.requestLocation()
    manager.ingest(.fix(Fix(mode: .none)))
    await timeOut(manager)
    #expect(
      await delegate.recorder.wait(for: 2)
        == [.didChangeAuthorization(.always), .didFailWithError(.locationUnknown)])
  }

  @Test(arguments: [true, false])
  func `starting or stopping updates cancels a one-shot request without a callback`(byStart: Bool) async {
    let manager = manager(.always)
    manager.requestLocation()
    manager.ingest(.fix(at: .north(0, accuracyMeters: 50)))
    await clock.waitForSleepers(1)
    if byStart { manager.startUpdatingLocation() } else { manager.stopUpdatingLocation() }
    // The timer is cancelled at once.
    #expect(clock.sleeperCount == 0)
    await manager.waitUntilDelivered()
    #expect(delegate.recorder.events == [.didChangeAuthorization(.always)])
  }

  @Test func `a one-shot request has no effect while updates run`() async {
    let manager = manager(.always)
    manager.startUpdatingLocation()
    manager.requestLocation()
    // Timers are registered before they sleep, so an empty list means that none was created.
    #expect(manager.state.withLock { $0.tasks.timers.isEmpty })
    manager.ingest(.fix(at: .here))
    #expect(await delegate.recorder.wait(for: 2).count == 2)
  }

  @Test(arguments: [Authorization.denied, .restricted])
  func `a one-shot request fails at once if authorization is denied or restricted`(authorization: Authorization) async {
    let manager = manager(authorization)
    manager.requestLocation()
    #expect(
      await delegate.recorder.wait(for: 2)
        == [.didChangeAuthorization(authorization), .didFailWithError(.denied)])
  }

  @Test func `without a decision, requestLocation fails with denied, or locationUnknown after a request`() async {
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

  @Test func `a second one-shot request while one is pending causes no second answer`() async {
    let manager = manager(.always)
    manager.requestLocation()
    manager.requestLocation()
    await timeOut(manager)
    await delegate.recorder.wait(for: 2)
    await manager.waitUntilDelivered()
    #expect(delegate.recorder.events.count == 2)
  }
}
