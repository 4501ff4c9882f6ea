// SPDX-License-Identifier: Apache-2.0

import LocationServices
import OpenCombine
import Positioning

/// A delegate with a subject, which is not `Sendable`.
final class SubjectDelegate: LocationManagerCallbacks {
  let locations = PassthroughSubject<[Location], Never>()

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    self.locations.send(locations)
  }
}

/// A delegate whose methods are isolated to the main actor.
@MainActor final class Screen: @MainActor LocationManagerCallbacks {
  var location: Location?

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    location = locations.last
  }
}

@MainActor final class Mistaken: LocationManagerDelegate {  // refused
  var location: Location?

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    location = locations.last
  }
}

@MainActor func attach(_ screen: Screen, to manager: LocationManager) {
  manager.mainActorDelegate = screen
  manager.delegate = screen  // refused
}

@MainActor func attachSubject(to manager: LocationManager) {
  manager.mainActorDelegate = SubjectDelegate()
  manager.delegate = SubjectDelegate()  // refused
}

func attachElsewhere(_ screen: Screen, to manager: LocationManager) {
  manager.mainActorDelegate = screen  // refused
}
