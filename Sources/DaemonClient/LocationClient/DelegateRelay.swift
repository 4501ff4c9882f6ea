// SPDX-License-Identifier: Apache-2.0

internal import LocationClient
internal import LocationServices
internal import Positioning
internal import Streams
internal import Synchronization

/// Turns callbacks into events for any number of listeners.
///
/// A manager holds its delegate weakly: the relay is kept by the client, and with the manager by
/// each stream.
final class DelegateRelay: LocationManagerDelegate {
  private let events = Broadcast<LocationClient.DelegateEvent>(bufferSize: 64)
  private let told: Mutex<(status: AuthorizationStatus, accuracy: AccuracyAuthorization?)>

  init(status: AuthorizationStatus) { told = Mutex((status, nil)) }

  /// Starts to listen to a manager that this is the delegate of.
  func subscribe(to manager: LocationManager) -> AsyncStream<LocationClient.DelegateEvent> {
    // Under the lock, so that no change falls between the first event and the subscription.
    told.withLock {
      events.subscribe(
        startingWith: .didChangeAuthorization($0.status),
        keeping: Kept(relay: self, manager: manager))
    }
  }

  private final class Kept: Sendable {
    private let relay: DelegateRelay
    private let manager: LocationManager

    init(relay: DelegateRelay, manager: LocationManager) {
      (self.relay, self.manager) = (relay, manager)
    }
  }

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    let status = manager.authorizationStatus
    let accuracy = manager.accuracyAuthorization
    told.withLock { told in
      // The manager's first callback says what every subscription begins with.
      let isNews = told.status != status || (told.accuracy ?? accuracy) != accuracy
      told = (status, accuracy)
      if isNews { events.send(.didChangeAuthorization(status)) }
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
