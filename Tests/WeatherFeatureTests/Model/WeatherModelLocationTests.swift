// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import PathMonitorClient
import Positioning
import Testing
import WeatherClient
import WeatherFeature

/// Tests of authorization and locations.
@Suite("Weather model with locations", .timeLimit(.minutes(5)))
@MainActor struct WeatherModelLocationTests {
  private let path = MockPathMonitor()
  private let weather = MockWeatherProvider()

  @Test(arguments: [AuthorizationStatus.authorizedAlways, .authorizedWhenInUse])
  func `an authorized model starts updates without a tap`(status: AuthorizationStatus) async {
    let location = MockLocationManager(status)
    let model = WeatherModel(location, path, weather)
    #expect(location.requests.events == [.start])
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    #expect(model.title == "Place 40")
    #expect(location.requests.events == [.start])
  }

  @Test func `the model reads the authorization status after a loss of events`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let model = WeatherModel(location, path, weather)
    location.authorizeWithoutEvent(.denied)
    await model.wait { $0.authorizationAlert != nil }
    #expect(model.authorizationAlert == .denied)
    #expect(location.requests.events == [.start, .stop])
  }

  @Test(arguments: [
    (AuthorizationStatus.denied, AuthorizationAlert.denied), (.restricted, .restricted),
  ])
  func `a model without authorization shows its alert at once and again after a tap`(
    status: AuthorizationStatus, alert: AuthorizationAlert
  ) {
    let location = MockLocationManager(status)
    let model = WeatherModel(location, path, weather)
    #expect(model.authorizationAlert == alert)
    #expect(model.authorizationAlert?.text.isEmpty == false)
    model.dismissAlert()
    #expect(model.authorizationAlert == nil)
    model.locationButtonTapped()
    #expect(model.authorizationAlert == alert)
    #expect(location.requests.events.isEmpty)
  }

  @Test func `a status change during initialization is handled exactly once`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    var client = location.client
    let delegate = client.delegate
    client.delegate = {
      defer { location.authorize(.denied) }
      return delegate()
    }
    let model = WeatherModel(
      locationClient: client, pathMonitor: path.client, weatherClient: weather.client,
      clock: ManualClock())
    var alerts: [AuthorizationAlert?] = []
    let states = model.states()
    location.send(.didFailWithError(.headingFailure))
    for await state in states {
      if alerts.last != state.authorizationAlert { alerts.append(state.authorizationAlert) }
      if state.lastError == .location(.headingFailure) { break }
    }
    #expect(alerts == [nil, .denied])
    #expect(location.requests.events == [.start, .stop])
  }

  @Test func `the error locationUnknown is shown until the next location arrives`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.send(.didFailWithError(.locationUnknown))
    await model.wait { $0.lastError == .location(.locationUnknown) }
    #expect(model.authorizationAlert == nil)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    #expect(model.lastError == nil)
    #expect(location.requests.events == [.start])
  }

  @Test func `a denied error stops updates until the next tap`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.send(.didFailWithError(.denied))
    await model.wait { $0.authorizationAlert == .denied }
    location.locate(.at(40))
    await model.handleAll(from: location)
    #expect(weather.calls.events.isEmpty)
    #expect(location.requests.events == [.start, .stop])
    location.send(.didFailWithError(.denied))
    await model.wait { $0.lastError == .location(.denied) }
    model.locationButtonTapped()
    #expect(model.authorizationAlert == nil)
    #expect(model.lastError == nil)
    #expect(location.requests.events == [.start, .stop, .start])
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
  }

  @Test func `the weather model ignores an empty list of locations`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.send(.didUpdateLocations([]))
    await model.handleAll(from: location)
    #expect(model.currentPlace == nil)
    #expect(weather.calls.events.isEmpty)
    location.send(.didUpdateLocations([.at(40), .at(41)]))
    await model.wait { $0.weather != nil }
    #expect(model.title == "Place 41")
  }

  @Test func `revoked authorization stops updates and lookups, and shows the alert`() async {
    let weather = MockWeatherProvider(holding: [.weather(.at(41, 0))])
    let location = MockLocationManager(.authorizedAlways)
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    location.locate(.at(41))
    await model.handleAll(from: location)
    model.locationButtonTapped()
    await weather.calls.wait { $0.contains(.weather(.at(41, 0))) }
    location.authorize(.denied)
    await model.wait { $0.authorizationAlert == .denied }
    #expect(location.requests.events == [.start, .stop])
    await weather.release(.weather(.at(41, 0)))
    // Send a late reply, a restored network and a new location: place and weather stay unknown.
    path.send(.unsatisfied)
    await model.wait { !$0.isConnected }
    path.send(.satisfied)
    await model.wait { $0.isConnected }
    location.locate(.at(42))
    await model.handleAll(from: location)
    #expect(model.weather == nil)
    #expect(model.currentPlace == nil)
    #expect(model.lastKnownWeather?.place.id == 40)
    #expect(weather.calls.events.count == 4)
  }

  @Test func `authorization after a revocation restarts updates`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    location.authorize(.notDetermined)
    await model.wait { $0.currentPlace == nil }
    #expect(model.authorizationAlert == nil)
    location.authorize(.authorizedWhenInUse)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    #expect(location.requests.events == [.start, .stop, .start])
  }

  @Test func `a move of a few metres causes no lookup`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let clock = ManualClock()
    let model = WeatherModel(location, path, weather, clock: clock)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    clock.advance(by: .seconds(61))
    location.locate(.at(40.0001))
    await model.handleAll(from: location)
    #expect(weather.calls.events.count == 2)
    #expect(model.title == "Place 40")
    location.locate(.at(40.1))
    await weather.calls.wait(for: 4)
    #expect(weather.calls.events.suffix(2) == [.search(.at(40.1, 0)), .weather(.at(40.1, 0))])
  }
}
