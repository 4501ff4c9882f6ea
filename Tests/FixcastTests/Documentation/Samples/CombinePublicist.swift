// SPDX-License-Identifier: Apache-2.0

import LocationServices
import OpenCombine
import Positioning

/// A delegate that publishes the callbacks of a manager, which it makes and keeps.
@MainActor final class LocationPublicist {
  /// The delegate, which the manager calls on the main actor.
  private final class Delegate: LocationManagerDelegate {
    nonisolated(unsafe) let authorization = PassthroughSubject<AuthorizationStatus, Never>()
    nonisolated(unsafe) let locations = PassthroughSubject<[Location], Never>()

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
      authorization.send(manager.authorizationStatus)
    }

    func locationManager(_ manager: LocationManager, didUpdateLocations new: [Location]) {
      locations.send(new)
    }
  }

  let manager: LocationManager
  private let delegate = Delegate()

  init(_ manager: LocationManager) {
    self.manager = manager
    manager.delegate = delegate
  }

  /// The status at the subscription, then each change.
  var authorizationPublisher: AnyPublisher<AuthorizationStatus, Never> {
    Deferred { [manager, delegate] in
      delegate.authorization.prepend(manager.authorizationStatus)
    }.removeDuplicates().eraseToAnyPublisher()
  }

  /// Each new array of locations.
  var locationPublisher: AnyPublisher<[Location], Never> {
    delegate.locations.eraseToAnyPublisher()
  }
}

/// Makes a publicist whose manager grants each request, for a test.
@MainActor func makeTestPublicist() -> LocationPublicist {
  LocationPublicist(LocationManager(policy: AllowAll(), purpose: "Test"))
}
