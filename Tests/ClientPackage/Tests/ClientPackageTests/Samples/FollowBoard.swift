// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import LocationServices
import Positioning
import Receivers

/// Makes a manager that uses the board's daemon, or without a daemon a receiver in this process.
func boardManager() -> LocationManager {
  LocationManager(
    purpose: "to follow the board", otherwise: InProcess { SourceGroup([.pluggedIn]) })
}

/// Shows the position, or the reason why there is none, until the task is cancelled.
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
