// SPDX-License-Identifier: Apache-2.0

import LocationClient
import Positioning

struct FeatureState: Equatable {
  var alert: String?
  var location: Location?
}

enum FeatureEffect: Equatable { case requestLocation }

/// The reducer, whose actions are the events of the manager.
func reduce(
  _ state: inout FeatureState, _ event: LocationClient.DelegateEvent
) -> FeatureEffect? {
  switch event {
  case .didChangeAuthorization(.authorizedAlways), .didChangeAuthorization(.authorizedWhenInUse):
    return .requestLocation
  case .didChangeAuthorization(.denied), .didChangeAuthorization(.restricted):
    state.alert = "Allow this program on the board: sudo fixcast auth pending"
  case .didUpdateLocations(let locations): state.location = locations.last
  default: break
  }
  return nil
}

/// Runs the store: requests authorization and reduces events until the task is cancelled.
func runFeature(_ client: LocationClient, show: (FeatureState) -> Void) async {
  var state = FeatureState()
  let events = client.delegate()
  client.requestWhenInUseAuthorization()
  for await event in events {
    if reduce(&state, event) == .requestLocation { client.requestLocation() }
    show(state)
  }
}
