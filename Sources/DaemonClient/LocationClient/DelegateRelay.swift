// SPDX-License-Identifier: Apache-2.0

internal import LocationClient
internal import LocationServices
internal import Positioning
internal import Streams
internal import Synchronization

/// A delegate that publishes a manager's callbacks as events to any number of streams.
///
/// The manager holds a weak reference to its delegate. Therefore the client retains the relay, and
/// each stream retains the relay and the manager.
final class DelegateRelay: LocationManagerDelegate {
  private let events = LossMarkingBroadcast<LocationClient.DelegateEvent>(bufferSize: 64) {
    .didDropEvents(count: $0)
  }
  private let lastSent: Mutex<(status: AuthorizationStatus, accuracy: AccuracyAuthorization?)>

  init(status: AuthorizationStatus) { lastSent = Mutex((status, nil)) }

  /// Returns a stream of the events of `manager`, whose delegate must be this relay.
  func subscribe(to manager: LocationManager) -> AsyncStream<LocationClient.DelegateEvent> {
    // Subscribe while holding the lock, so that no change is missed between the first event and the
    // subscription.
    lastSent.withLock {
      events.subscribe(
        startingWith: .didChangeAuthorization($0.status),
        keeping: Retained(relay: self, manager: manager))
    }
  }

  private final class Retained: Sendable {
    private let relay: DelegateRelay
    private let manager: LocationManager

    init(relay: DelegateRelay, manager: LocationManager) {
      (self.relay, self.manager) = (relay, manager)
    }
  }

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    let status = manager.authorizationStatus
    let accuracy = manager.accuracyAuthorization
    lastSent.withLock { lastSent in
      // Do not send the manager's first callback, because it repeats the status with which every
      // stream begins.
      let hasChanged = lastSent.status != status || (lastSent.accuracy ?? accuracy) != accuracy
      lastSent = (status, accuracy)
      if hasChanged { events.send(.didChangeAuthorization(status)) }
    }
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    events.send(.didUpdateLocations(locations))
  }

  func locationManager(_ manager: LocationManager, didReceiveFixWithoutPosition fix: Fix) {
    events.send(.didReceiveFixWithoutPosition(fix))
  }

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    events.send(.didFailWithError(error))
  }

  func locationManager(_ manager: LocationManager, didUpdateHeading heading: Heading) {
    events.send(.didUpdateHeading(heading))
  }

  func locationManager(_ manager: LocationManager, didVisit visit: Visit) {
    events.send(.didVisit(visit))
  }

  func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {
    events.send(.didEnterRegion(region))
  }

  func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {
    events.send(.didExitRegion(region))
  }

  func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) {
    events.send(.didDetermineState(state, region: region))
  }

  func locationManager(
    _ manager: LocationManager, didStartMonitoringFor region: CircularRegion
  ) {
    events.send(.didStartMonitoring(region: region))
  }

  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion,
    withError error: LocationError
  ) {
    events.send(.monitoringDidFail(region: region, error: error))
  }

  func locationManagerDidPauseLocationUpdates(_ manager: LocationManager) {
    events.send(.didPauseLocationUpdates)
  }

  func locationManagerDidResumeLocationUpdates(_ manager: LocationManager) {
    events.send(.didResumeLocationUpdates)
  }
}
