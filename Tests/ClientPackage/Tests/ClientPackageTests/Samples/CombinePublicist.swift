// SPDX-License-Identifier: Apache-2.0

import LocationServices
import OpenCombine
import Positioning

/// A manager's delegate that publishes the callbacks.
@MainActor final class LocationPublicist: @MainActor LocationManagerCallbacks {
  let manager: LocationManager
  private let authorization = PassthroughSubject<AuthorizationStatus, Never>()
  private let locations = PassthroughSubject<[Location], Never>()

  init(_ manager: LocationManager) {
    self.manager = manager
    manager.mainActorDelegate = self
  }

  /// The status at the subscription, then each change.
  var authorizationPublisher: AnyPublisher<AuthorizationStatus, Never> {
    Deferred { [manager, authorization] in
      authorization.prepend(manager.authorizationStatus)
    }.removeDuplicates().eraseToAnyPublisher()
  }

  /// Each new array of locations.
  var locationPublisher: AnyPublisher<[Location], Never> { locations.eraseToAnyPublisher() }

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    authorization.send(manager.authorizationStatus)
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations new: [Location]) {
    locations.send(new)
  }
}

/// Makes a publicist whose manager grants each request, for a test.
@MainActor func makeTestPublicist() -> LocationPublicist {
  LocationPublicist(LocationManager(policy: AllowAll(), purpose: "Test"))
}
