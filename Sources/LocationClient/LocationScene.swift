// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Streams
internal import Synchronization

/// What stands behind a played client: a status that requests change, and one place.
final class LocationScene: Sendable {
  private struct State {
    var status: AuthorizationStatus
    var isUpdating = false
    var last: Location?
  }

  private let state: Mutex<State>
  private let place: Location?
  private let grants: Bool
  private let events = Broadcast<LocationClient.DelegateEvent>()

  init(_ status: AuthorizationStatus, location: Location?, grants: Bool = false) {
    state = Mutex(State(status: status))
    place = location
    self.grants = grants
  }

  var client: LocationClient {
    LocationClient(
      authorizationStatus: { self.state.withLock { $0.status } },
      requestWhenInUseAuthorization: { self.request(.authorizedWhenInUse) },
      requestAlwaysAuthorization: { self.request(.authorizedAlways) },
      requestLocation: { self.deliver() },
      startUpdatingLocation: {
        self.state.withLock { $0.isUpdating = true }
        self.deliver()
      },
      stopUpdatingLocation: { self.state.withLock { $0.isUpdating = false } },
      location: { self.state.withLock { $0.last } },
      delegate: {
        let status = self.state.withLock { $0.status }
        return self.events.subscribe(startingWith: .didChangeAuthorization(status))
      })
  }

  private func request(_ wanted: AuthorizationStatus) {
    let changed: (AuthorizationStatus, Bool)? = state.withLock { state in
      guard state.status == .notDetermined else { return nil }
      state.status = grants ? wanted : .denied
      return (state.status, state.isUpdating)
    }
    guard let (status, isUpdating) = changed else { return }
    events.send(.didChangeAuthorization(status))
    if isUpdating { deliver() }
  }

  private func deliver() {
    let event: LocationClient.DelegateEvent? = state.withLock { state in
      if state.status.isRefused { return .didFailWithError(.denied) }
      guard state.status.isAuthorized else { return nil }
      guard let place else { return .didFailWithError(.locationUnknown) }
      state.last = place
      return .didUpdateLocations([place])
    }
    if let event { events.send(event) }
  }
}
