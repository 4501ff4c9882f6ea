// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import Positioning
import Testing

@testable import WeatherFeature

@Suite("Live location service", .timeLimit(.minutes(5)))
@MainActor struct LiveLocationServiceTests {
  private typealias FetchResult = Result<Location, LocationServiceError>

  private let clock = ManualClock()
  private let results = EventRecorder<FetchResult>()

  private func service(_ location: MockLocationManager) -> LiveLocationService {
    LiveLocationService(locationClient: location.client, timeout: .seconds(30), clock: clock)
  }

  /// Sends events and waits for the timeout, to detect a second completion of an earlier call.
  private func settle(_ service: LiveLocationService, _ location: MockLocationManager) async {
    location.locate(.at(50))
    location.send(.didFailWithError(.locationUnknown))
    clock.advance(by: .seconds(60))
    let last = EventRecorder<FetchResult>()
    service.fetchLocation { last.record($0) }
    await location.requests.wait { $0.count { $0 == .location } >= 2 || $0.isEmpty }
    location.locate(.at(51))
    await last.wait(for: 1)
  }

  @Test func `a location fetch completes once with a location`() async {
    let location = MockLocationManager(.authorizedAlways)
    let service = service(location)
    service.fetchLocation { results.record($0) }
    #expect(results.events.isEmpty)
    await location.requests.wait(for: 1)
    location.locate(.at(40))
    #expect(await results.wait(for: 1) == [.success(.at(40))])
    await settle(service, location)
    #expect(results.events.count == 1)
    #expect(location.requests.events == [.location, .location])
  }

  @Test func `the live location service gets the authorization status only from events`() async {
    // The status that is read directly may be newer than the first event.
    let location = MockLocationManager(.authorizedWhenInUse)
    var client = location.client
    client.authorizationStatus = {
      Issue.record("the status was read directly")
      return .denied
    }
    let service = LiveLocationService(
      locationClient: client, timeout: .seconds(30), clock: clock)
    service.fetchLocation { results.record($0) }
    await location.requests.wait(for: 1)
    location.locate(.at(40))
    #expect(await results.wait(for: 1) == [.success(.at(40))])
  }

  @Test func `the live location service requests the location again after a loss of events`()
    async
  {
    let location = MockLocationManager(.authorizedWhenInUse)
    let service = service(location)
    service.fetchLocation { results.record($0) }
    await location.requests.wait(for: 1)
    location.send(.didDropEvents(count: 1))
    #expect(await location.requests.wait(for: 2) == [.location, .location])
    location.locate(.at(40))
    #expect(await results.wait(for: 1) == [.success(.at(40))])
  }

  @Test func `the live location service reads the authorization status after a loss of events`()
    async
  {
    let location = MockLocationManager(.authorizedWhenInUse)
    let service = service(location)
    service.fetchLocation { results.record($0) }
    await location.requests.wait(for: 1)
    location.authorizeWithoutEvent(.denied)
    #expect(await results.wait(for: 1) == [.failure(.notAuthorizedToRequestLocation)])
  }

  @Test func `a location fetch requests authorization if authorization is not determined`() async {
    let location = MockLocationManager(.notDetermined, answering: .authorizedWhenInUse)
    let service = service(location)
    service.fetchLocation { results.record($0) }
    await location.requests.wait(for: 2)
    location.locate(.at(40))
    #expect(await results.wait(for: 1) == [.success(.at(40))])
    #expect(location.requests.events == [.authorization, .location])
    await settle(service, location)
    #expect(results.events.count == 1)
  }

  @Test(arguments: [AuthorizationStatus.denied, .restricted])
  func `a location fetch without authorization completes once with an error`(
    status: AuthorizationStatus
  ) async {
    let location = MockLocationManager(.notDetermined, answering: status)
    let service = service(location)
    service.fetchLocation { results.record($0) }
    #expect(await results.wait(for: 1) == [.failure(.notAuthorizedToRequestLocation)])
    // The second fetch completes without another request.
    service.fetchLocation { results.record($0) }
    await results.wait(for: 2)
    #expect(results.events == Array(repeating: .failure(.notAuthorizedToRequestLocation), count: 2))
    #expect(location.requests.events == [.authorization])
  }

  @Test func `a location fetch completes once with the error of the location manager`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let service = service(location)
    service.fetchLocation { results.record($0) }
    await location.requests.wait(for: 1)
    location.send(.didFailWithError(.headingFailure))
    location.send(.didFailWithError(.locationUnknown))
    #expect(await results.wait(for: 1) == [.failure(.locationFailed(.locationUnknown))])
    await settle(service, location)
    #expect(results.events.count == 1)
  }

  @Test func `a location fetch without a location completes once with a timeout`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let service = service(location)
    service.fetchLocation { results.record($0) }
    await location.requests.wait(for: 1)
    await clock.waitForSleepers()
    #expect(results.events.isEmpty)
    // The deadline is exactly the timeout.
    #expect(clock.advanceToNextDeadline() == .seconds(30))
    #expect(await results.wait(for: 1) == [.failure(.timedOut)])
    await settle(service, location)
    #expect(results.events.count == 1)
  }

  @Test func `a location fetch times out if the authorization stays undetermined`() async {
    let location = MockLocationManager(.notDetermined)
    let service = service(location)
    service.fetchLocation { results.record($0) }
    await location.requests.wait(for: 1)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    #expect(await results.wait(for: 1) == [.failure(.timedOut)])
  }

  @Test func `overlapping location fetches share one request and complete separately`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let service = service(location)
    for _ in 1...3 { service.fetchLocation { results.record($0) } }
    await clock.waitForSleepers(3)
    // The request follows the first status event.
    #expect(await location.requests.wait(for: 1) == [.location])
    location.locate(.at(40))
    #expect(await results.wait(for: 3) == Array(repeating: .success(.at(40)), count: 3))
    await settle(service, location)
    #expect(results.events.count == 3)
  }

  @Test func `a location service that is released during a fetch completes the fetch`() async {
    let listeners = EventRecorder<Int>()
    let location = MockLocationManager(.authorizedWhenInUse) { listeners.record($0) }
    var dropped: LiveLocationService? = service(location)
    weak let service = dropped
    dropped?.fetchLocation { results.record($0) }
    dropped = nil
    #expect(service != nil)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    #expect(await results.wait(for: 1) == [.failure(.timedOut)])
    // The service is deallocated when its task ends, which also ends the subscription.
    #expect(await listeners.wait { $0.last == 0 } == [1, 0])
    #expect(service == nil)
  }

  @Test func `every location fetch completes once in random sequences of events`() {
    for sequence in 0..<RandomInputs.count(10_000 as UInt64) {
      var generator = SeededGenerator(seed: 8 << 32 | sequence)
      var fetches = LocationFetches()
      var began: UInt64 = 0
      var completed: [UInt64] = []
      func send(_ event: LocationFetches.Event) {
        for case .complete(let number, _) in fetches.handle(event) { completed.append(number) }
      }
      for _ in 0..<30 {
        switch UInt8.random(in: 0..<6, using: &generator) {
        case 0..<2:
          began += 1
          send(.began(began))
        case 2:
          send(
            .authorization(AuthorizationStatus.allCases.randomElement(using: &generator) ?? .denied)
          )
        case 3: send(.locations(Bool.random(using: &generator) ? [.at(40)] : []))
        case 4: send(.failed(LocationError.allCases.randomElement(using: &generator) ?? .denied))
        default: send(.timedOut(.random(in: 0...began + 1, using: &generator)))
        }
      }
      for number in 0...began where number > 0 { send(.timedOut(number)) }
      #expect(completed.sorted() == (0..<began).map { $0 + 1 }, "sequence \(sequence)")
      guard completed.count == began else { return }
    }
  }
}
