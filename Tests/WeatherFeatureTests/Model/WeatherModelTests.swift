// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastTesting
import LocationClient
import LocationServices
import PathMonitorClient
import Positioning
import Testing
import WeatherClient
import WeatherFeature

/// Tests of the model in its basic situations: authorization, network, location and lookup.
@Suite("Weather model in basic situations", .timeLimit(.minutes(5)))
@MainActor struct WeatherModelTests {
  private nonisolated static let brooklyn = Place(
    id: 1, title: "Brooklyn", coordinate: .at(40.6782, -73.9442))
  private static let moderate = WeatherReport.moderate(at: .at(40.6782, -73.9442)).days

  /// A client that always returns Brooklyn, and moderate weather.
  private static let weatherClient = WeatherClient(
    searchLocations: { _ throws(WeatherError) in [brooklyn] },
    weather: { _ throws(WeatherError) in .moderate(at: brooklyn.coordinate) })

  private func model(
    _ locationClient: LocationClient, _ pathMonitor: PathMonitorClient,
    _ weatherClient: WeatherClient = weatherClient, clock: ManualClock = ManualClock()
  ) -> WeatherModel {
    WeatherModel(
      locationClient: locationClient, pathMonitor: pathMonitor, weatherClient: weatherClient,
      clock: clock)
  }

  @Test func `an authorized model with a network shows place and weather`() async {
    let model = model(.authorizedWhenInUse, .satisfied)
    await model.wait { $0.weather != nil }
    #expect(model.currentPlace == Self.brooklyn)
    #expect(model.isConnected)
    #expect(model.weatherResults == Self.moderate)
    #expect(model.title == "Brooklyn")
  }

  @Test func `a location without a network causes no lookup`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let model = model(location.client, .unsatisfied, .unimplemented)
    await model.wait { $0.path == .notConnected }
    location.locate(.at(40))
    await model.handleAll(from: location)
    #expect(model.currentPlace == nil)
    #expect(!model.isConnected)
    #expect(model.weatherResults.isEmpty)
    #expect(model.state.connectionMessage == "Not connected to internet")
    #expect(model.title == "Weather")
  }

  @Test func `a network loss removes the weather and keeps the place`() async {
    let path = MockPathMonitor()
    let clock = ManualClock()
    let fetches = EventRecorder<Coordinate>()
    let weatherClient = WeatherClient(
      searchLocations: { _ throws(WeatherError) in [Self.brooklyn] },
      weather: { _ throws(WeatherError) in
        fetches.record(Self.brooklyn.coordinate)
        return .moderate(at: Self.brooklyn.coordinate)
      })
    let model = model(.authorizedWhenInUse, path.client, weatherClient, clock: clock)
    for count in 1...2 {
      path.send(.satisfied)
      await model.wait { $0.weather != nil }
      #expect(model.currentPlace == Self.brooklyn)
      #expect(model.isConnected)
      #expect(model.weatherResults == Self.moderate)
      #expect(fetches.events.count == count)

      path.send(.unsatisfied)
      await model.wait { $0.path == .notConnected }
      #expect(model.currentPlace == Self.brooklyn)
      #expect(model.weatherResults.isEmpty)
      clock.advance(by: .seconds(61))
    }
  }

  @Test func `a tap requests authorization, and the model shows weather after a grant`() async {
    let model = model(.notDetermined, .satisfied)
    await model.wait { $0.isConnected }
    #expect(model.currentPlace == nil)
    #expect(model.weatherResults.isEmpty)

    model.locationButtonTapped()
    await model.wait { $0.weather != nil }
    #expect(model.currentPlace == Self.brooklyn)
    #expect(model.isConnected)
    #expect(model.weatherResults == Self.moderate)
  }

  @Test func `a tap requests authorization, and the model shows an alert after a denial`() async {
    let scene = LocationClient.notDeterminedDenied
    // The test fails if the model starts updates or requests a location.
    var client = LocationClient.unimplemented
    client.authorizationStatus = scene.authorizationStatus
    client.delegate = scene.delegate
    client.requestWhenInUseAuthorization = scene.requestWhenInUseAuthorization
    let model = model(client, .satisfied)
    await model.wait { $0.isConnected }
    #expect(model.currentPlace == nil)
    #expect(model.weatherResults.isEmpty)
    #expect(model.authorizationAlert == nil)

    model.locationButtonTapped()
    await model.wait { $0.authorizationAlert != nil }
    #expect(
      model.authorizationAlert?.text
        == "Please give us location access. An operator can allow it with fixcast auth allow.")
    #expect(model.currentPlace == nil)
    #expect(model.isConnected)
    #expect(model.weatherResults.isEmpty)
  }
}
