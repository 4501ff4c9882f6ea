// SPDX-License-Identifier: Apache-2.0

public import LocationClient
public import LocationServices
internal import Streams
internal import Synchronization

extension LocationClient {
  /// A client over a location manager.
  ///
  /// The hidden delegate and the manager live as long as any copy of the client does.
  ///
  /// - Parameter manager: The manager; its delegate is taken over.
  /// - Returns: The client.
  public static func live(_ manager: LocationManager) -> LocationClient {
    let relay = DelegateRelay(status: manager.authorizationStatus)
    manager.delegate = relay
    return LocationClient(
      authorizationStatus: { manager.authorizationStatus },
      accuracyAuthorization: { manager.accuracyAuthorization },
      requestWhenInUseAuthorization: { manager.requestWhenInUseAuthorization() },
      requestAlwaysAuthorization: { manager.requestAlwaysAuthorization() },
      requestLocation: { manager.requestLocation() },
      startUpdatingLocation: { manager.startUpdatingLocation() },
      stopUpdatingLocation: { manager.stopUpdatingLocation() },
      location: { manager.location },
      delegate: { relay.subscribe() })
  }
}

/// Turns callbacks into events for any number of listeners.
private final class DelegateRelay: LocationManagerDelegate {
  private let events = Broadcast<LocationClient.DelegateEvent>(bufferSize: 64)
  private let told: Mutex<(status: AuthorizationStatus, accuracy: AccuracyAuthorization?)>

  init(status: AuthorizationStatus) { told = Mutex((status, nil)) }

  func subscribe() -> AsyncStream<LocationClient.DelegateEvent> {
    // Under the lock, so that no change falls between the first event and the subscription.
    told.withLock { events.subscribe(startingWith: .didChangeAuthorization($0.status)) }
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

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    events.send(.didFailWithError(error))
  }
}
