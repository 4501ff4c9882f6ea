// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import Positioning
import Testing

@Suite("Location clients", .timeLimit(.minutes(5)))
struct LocationClientTests {
  private func events(
    _ client: LocationClient, _ count: Int, during actions: () -> Void
  ) async -> [LocationClient.DelegateEvent] {
    let stream = client.delegate()
    actions()
    var result: [LocationClient.DelegateEvent] = []
    for await event in stream.prefix(count) { result.append(event) }
    return result
  }

  @Test func `an authorized simulated client answers a location request with its location`() async throws {
    let here = Location.at(48.2, 16.4)
    let client = LocationClient.authorizedWhenInUse(locatedAt: here)
    #expect(client.authorizationStatus() == .authorizedWhenInUse)
    let seen = await events(client, 2) { client.requestLocation() }
    #expect(seen == [.didChangeAuthorization(.authorizedWhenInUse), .didUpdateLocations([here])])
    #expect(client.location() == here)
  }

  @Test func `an undetermined simulated client grants or refuses a request for authorization`() async {
    let granting = LocationClient.notDetermined
    let seen = await events(granting, 3) {
      granting.startUpdatingLocation()
      granting.requestWhenInUseAuthorization()
    }
    #expect(
      seen.prefix(2) == [
        .didChangeAuthorization(.notDetermined), .didChangeAuthorization(.authorizedWhenInUse),
      ])
    guard case .didUpdateLocations = seen.last else { Issue.record("no location: \(seen)"); return }
    let refusing = LocationClient.notDeterminedDenied
    #expect(
      await events(refusing, 2) { refusing.requestWhenInUseAuthorization() } == [
        .didChangeAuthorization(.notDetermined), .didChangeAuthorization(.denied),
      ])
  }

  @Test func `a denied or restricted simulated client answers a location request with an error`() async {
    for client in [LocationClient.denied, .restricted] {
      let seen = await events(client, 2) { client.requestLocation() }
      #expect(seen.last == .didFailWithError(.denied))
      #expect(client.location() == nil)
    }
  }

  @Test func `each access to a predefined simulated client creates a new client`() {
    let first = LocationClient.notDetermined
    first.requestWhenInUseAuthorization()
    #expect(first.authorizationStatus() == .authorizedWhenInUse)
    #expect(LocationClient.notDetermined.authorizationStatus() == .notDetermined)
  }
}
