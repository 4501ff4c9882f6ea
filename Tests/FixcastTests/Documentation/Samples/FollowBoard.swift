// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import LocationServices
import Positioning
import Receivers

/// Makes a manager that the board's daemon serves, or without a daemon this process itself.
func boardManager() -> LocationManager {
  LocationManager(
    purpose: "to follow the board", otherwise: InProcess { SourceGroup([.pluggedIn]) })
}

/// Shows where the board is, or why that is not known, until the task is cancelled.
func follow(_ manager: LocationManager, show: (String) -> Void) async {
  manager.requestWhenInUseAuthorization()
  for await update in LocationUpdate.liveUpdates(from: manager) {
    if let place = update.location?.coordinate {
      show("\(place.latitudeDegrees) \(place.longitudeDegrees)")
    } else {
      show("no location: \(update.diagnostics)")
    }
  }
}
