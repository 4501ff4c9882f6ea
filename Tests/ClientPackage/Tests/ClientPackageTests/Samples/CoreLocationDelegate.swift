// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import LocationServices
import Positioning
import Receivers

/// A delegate that shows the board's position, as with Core Location.
final class Follower: LocationManagerDelegate {
  private let show: @Sendable (String) -> Void

  init(show: @escaping @Sendable (String) -> Void) { self.show = show }

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    switch manager.authorizationStatus {
    case .notDetermined: manager.requestWhenInUseAuthorization()
    case .authorizedAlways, .authorizedWhenInUse: manager.startUpdatingLocation()
    case .denied, .restricted: show("not allowed: \(manager.diagnostics)")
    }
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    guard let place = locations.last?.coordinate else { return }
    show("\(place.latitudeDegrees) \(place.longitudeDegrees)")
  }

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    show("no location: \(error)")
  }
}

/// Makes the follower's manager; keep both, because the manager's delegate is weak.
func boardManager(of follower: Follower) -> LocationManager {
  let manager = LocationManager(
    purpose: "to follow the board", otherwise: InProcess { SourceGroup([.pluggedIn]) })
  manager.delegate = follower
  return manager
}
