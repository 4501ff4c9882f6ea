// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import PathMonitorClient
import Positioning
import Testing
import WeatherClient
import WeatherFeature

/// What the articles' own suite leaves open about authorization and locations.
@Suite("The weather model and its locations", .timeLimit(.minutes(5)))
@MainActor struct WeatherModelLocationTests {
  private let path = PlayedPath()
  private let weather = PlayedWeather()

  @Test(arguments: [AuthorizationStatus.authorizedAlways, .authorizedWhenInUse])
  func `either grant starts updates at once, without a tap`(status: AuthorizationStatus) async {
    let location = PlayedLocation(status)
    let model = WeatherModel(location, path, weather)
    #expect(location.requests.events == [.start])
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    #expect(model.title == "Place 40")
    #expect(location.requests.events == [.start])
  }

  @Test(arguments: [
    (AuthorizationStatus.denied, AuthorizationAlert.denied), (.restricted, .restricted),
  ])
  func `a refusal shows its alert from the start, and a tap shows it again`(
    status: AuthorizationStatus, alert: AuthorizationAlert
  ) {
    let location = PlayedLocation(status)
    let model = WeatherModel(location, path, weather)
    #expect(model.authorizationAlert == alert)
    #expect(model.authorizationAlert?.text.isEmpty == false)
    model.dismissAlert()
    #expect(model.authorizationAlert == nil)
    model.locationButtonTapped()
    #expect(model.authorizationAlert == alert)
    #expect(location.requests.events.isEmpty)
  }

  @Test func `a status that changes while the model is made is neither lost nor doubled`() async {
    let location = PlayedLocation(.authorizedWhenInUse)
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

  @Test func `no position at present is told and mends itself`() async {
    let location = PlayedLocation(.authorizedWhenInUse)
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

  @Test func `an error of denial ends the flow until the next tap`() async {
    let location = PlayedLocation(.authorizedWhenInUse)
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.send(.didFailWithError(.denied))
    await model.wait { $0.authorizationAlert == .denied }
    location.locate(.at(40))
    await model.takeAll(from: location)
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

  @Test func `no location in a list of locations is nothing`() async {
    let location = PlayedLocation(.authorizedWhenInUse)
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.send(.didUpdateLocations([]))
    await model.takeAll(from: location)
    #expect(model.currentPlace == nil)
    #expect(weather.calls.events.isEmpty)
    location.send(.didUpdateLocations([.at(40), .at(41)]))
    await model.wait { $0.weather != nil }
    #expect(model.title == "Place 41")
  }

  @Test func `revocation stops updates and lookups, and shows the alert`() async {
    let weather = PlayedWeather(holding: [.weather(.at(41, 0))])
    let location = PlayedLocation(.authorizedAlways)
    let model = WeatherModel(location, path, weather)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    location.locate(.at(41))
    await model.takeAll(from: location)
    model.locationButtonTapped()
    await weather.calls.wait { $0.contains(.weather(.at(41, 0))) }
    location.authorize(.denied)
    await model.wait { $0.authorizationAlert == .denied }
    #expect(location.requests.events == [.start, .stop])
    await weather.release(.weather(.at(41, 0)))
    // Neither the late answer, nor a network that comes back, nor a location brings any of it back.
    path.send(.unsatisfied)
    await model.wait { !$0.isConnected }
    path.send(.satisfied)
    await model.wait { $0.isConnected }
    location.locate(.at(42))
    await model.takeAll(from: location)
    #expect(model.weather == nil)
    #expect(model.currentPlace == nil)
    #expect(model.lastKnownWeather?.place.id == 40)
    #expect(weather.calls.events.count == 4)
  }

  @Test func `a grant after a revocation begins anew`() async {
    let location = PlayedLocation(.authorizedWhenInUse)
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

  @Test func `a board that moves a few metres is no reason to ask again`() async {
    let location = PlayedLocation(.authorizedWhenInUse)
    let clock = ManualClock()
    let model = WeatherModel(location, path, weather, clock: clock)
    path.send(.satisfied)
    location.locate(.at(40))
    await model.wait { $0.weather != nil }
    clock.advance(by: .seconds(61))
    location.locate(.at(40.0001))
    await model.takeAll(from: location)
    #expect(weather.calls.events.count == 2)
    #expect(model.title == "Place 40")
    location.locate(.at(40.1))
    await weather.calls.wait(for: 4)
    #expect(weather.calls.events.suffix(2) == [.search(.at(40.1, 0)), .weather(.at(40.1, 0))])
  }
}
