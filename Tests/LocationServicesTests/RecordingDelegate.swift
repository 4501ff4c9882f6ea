// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization

@testable import LocationServices

/// Records each callback as a value.
final class RecordingDelegate: LocationManagerDelegate {
  let recorder = EventRecorder<LocationCallback>()
  /// Called from inside each callback.
  private let react: @Sendable (LocationManager, LocationCallback) -> Void

  init(react: @escaping @Sendable (LocationManager, LocationCallback) -> Void = { _, _ in }) {
    self.react = react
  }

  private func record(_ manager: LocationManager, _ callback: LocationCallback) {
    recorder.record(callback)
    react(manager, callback)
  }

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    let authorization = Authorization(
      manager.authorizationStatus, accuracy: manager.accuracyAuthorization)
    record(manager, .didChangeAuthorization(authorization))
  }
  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    record(manager, .didUpdateLocations(locations))
  }
  func locationManager(_ manager: LocationManager, didReceiveFixWithoutPosition fix: Fix) {
    record(manager, .didReceiveFixWithoutPosition(fix))
  }
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    record(manager, .didFailWithError(error))
  }
  func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading) {
    record(manager, .didUpdateHeading(heading))
  }
  func locationManager(_ manager: LocationManager, didVisit visit: Visit) {
    record(manager, .didVisit(visit))
  }
  func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {
    record(manager, .didEnterRegion(region))
  }
  func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {
    record(manager, .didExitRegion(region))
  }
  func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) { record(manager, .didDetermineState(state, region)) }
  func locationManager(_ manager: LocationManager, didStartMonitoringFor region: CircularRegion) {
    record(manager, .didStartMonitoring(region))
  }
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion,
    withError error: LocationError
  ) { record(manager, .monitoringDidFail(region, error)) }
  func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {
    record(manager, .didPauseUpdates)
  }
  func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {
    record(manager, .didResumeUpdates)
  }
}

/// A policy whose updates a test sends.
final class ScriptedPolicy: AuthorizationPolicy {
  let initialAuthorization: Authorization
  let answer: AuthorizationAnswer
  let fullAccuracy: FullAccuracyAnswer
  let uses = EventRecorder<ServiceUse>()
  let requests = EventRecorder<AuthorizationRequest>()
  private let listener = Mutex<(@Sendable (AuthorizationUpdate) -> Void)?>(nil)

  init(
    _ initial: Authorization, answer: AuthorizationAnswer = .pending,
    fullAccuracy: FullAccuracyAnswer = .declined
  ) {
    initialAuthorization = initial
    self.answer = answer
    self.fullAccuracy = fullAccuracy
  }

  func send(_ update: AuthorizationUpdate) { listener.withLock { $0 }?(update) }
  func answer(
    _ request: AuthorizationRequest, purpose: String
  ) async -> AuthorizationAnswer {
    requests.record(request)
    return answer
  }
  func decideFullAccuracy(purposeKey: String) async -> FullAccuracyAnswer { fullAccuracy }
  func listen(_ take: @escaping @Sendable (AuthorizationUpdate) -> Void) -> PolicyListening {
    listener.withLock { $0 = take }
    return PolicyListening { [weak self] in self?.listener.withLock { $0 = nil } }
  }
  func note(_ use: ServiceUse) { uses.record(use) }
}

extension FixSourceEvent {
  static func fix(at location: Location) -> FixSourceEvent {
    var fix = Fix(mode: .threeDimensional)
    fix.coordinate = location.coordinate
    fix.horizontalAccuracy = location.horizontalAccuracy
    fix.time = location.time
    return .fix(fix)
  }
}
