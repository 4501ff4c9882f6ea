// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastTesting
import LocationClient
import Positioning
import Streams
import Synchronization

/// A mock location manager that sends the events of the test and records requests.
///
/// The test fails if the code under test calls any other endpoint of the client.
final class MockLocationManager: Sendable {
  enum Request: Equatable {
    case authorization
    case location
    case start
    case stop
  }

  let requests = EventRecorder<Request>()
  private let status: Mutex<AuthorizationStatus>
  private let events: Broadcast<LocationClient.DelegateEvent>
  /// The status after a request for authorization, or `nil` to keep the current status.
  private let statusAfterRequest: AuthorizationStatus?

  init(
    _ status: AuthorizationStatus, answering statusAfterRequest: AuthorizationStatus? = nil,
    listenersChanged: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.status = Mutex(status)
    self.statusAfterRequest = statusAfterRequest
    events = Broadcast(bufferSize: 64, listenersChanged: listenersChanged)
  }

  var client: LocationClient {
    var client = LocationClient.unimplemented
    client.authorizationStatus = { self.status.withLock { $0 } }
    client.requestWhenInUseAuthorization = {
      self.requests.record(.authorization)
      if let statusAfterRequest = self.statusAfterRequest { self.authorize(statusAfterRequest) }
    }
    client.requestLocation = { self.requests.record(.location) }
    client.startUpdatingLocation = { self.requests.record(.start) }
    client.stopUpdatingLocation = { self.requests.record(.stop) }
    client.delegate = {
      self.events.subscribe(startingWith: .didChangeAuthorization(self.status.withLock { $0 }))
    }
    return client
  }

  func send(_ event: LocationClient.DelegateEvent) { events.send(event) }

  func authorize(_ status: AuthorizationStatus) {
    self.status.withLock { $0 = status }
    send(.didChangeAuthorization(status))
  }

  /// Changes the status, and reports that the event of the change was dropped.
  func authorizeWithoutEvent(_ status: AuthorizationStatus) {
    self.status.withLock { $0 = status }
    send(.didDropEvents(count: 1))
  }

  func locate(_ location: Location) { send(.didUpdateLocations([location])) }
}
