// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import Positioning
import Streams
import Synchronization

/// A location manager whose events the test sends, from any thread.
final class SimulatedManager: Sendable {
  let events: Broadcast<LocationClient.DelegateEvent>
  /// The number of listeners after each change.
  let listeners = EventRecorder<Int>()
  private let status = Mutex(AuthorizationStatus.notDetermined)

  init() {
    let listeners = listeners
    events = Broadcast(listenersChanged: { listeners.record($0) })
  }

  var client: LocationClient {
    var client = LocationClient.denied
    client.authorizationStatus = { self.status.withLock { $0 } }
    client.requestWhenInUseAuthorization = { self.authorize(.authorizedWhenInUse) }
    client.requestLocation = { self.locate(40) }
    client.delegate = {
      self.events.subscribe(startingWith: .didChangeAuthorization(self.status.withLock { $0 }))
    }
    return client
  }

  func authorize(_ status: AuthorizationStatus) {
    self.status.withLock { $0 = status }
    events.send(.didChangeAuthorization(status))
  }

  /// Changes the status, as for a subscriber that is too slow to get the event.
  func authorizeWithLostEvent(_ status: AuthorizationStatus) {
    self.status.withLock { $0 = status }
    events.send(.didDropEvents(count: 1))
  }

  func locate(_ latitude: Double) { events.send(.didUpdateLocations([.at(latitude)])) }
}
