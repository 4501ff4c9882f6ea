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

/// What the founding articles' own suite says of their model, said of this one.
@Suite("The weather model of the articles", .timeLimit(.minutes(5)))
@MainActor struct WeatherModelTests {
  private nonisolated static let brooklyn = Place(
    id: 1, title: "Brooklyn", coordinate: .at(40.6782, -73.9442))
  private static let moderate = WeatherReport.moderate(at: .at(40.6782, -73.9442)).days

  /// Finds Brooklyn, and moderate weather there.
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

  @Test func `an authorized board on a network shows place and weather`() async {
    let model = model(.authorizedWhenInUse, .satisfied)
    await model.wait { $0.weather != nil }
    #expect(model.currentPlace == Self.brooklyn)
    #expect(model.isConnected)
    #expect(model.weatherResults == Self.moderate)
    #expect(model.title == "Brooklyn")
  }

  @Test func `without a network nothing is asked, although a location arrives`() async {
    let location = PlayedLocation(.authorizedWhenInUse)
    let model = model(location.client, .unsatisfied, .unimplemented)
    await model.wait { $0.path == .notConnected }
    location.locate(.at(40))
    await model.takeAll(from: location)
    #expect(model.currentPlace == nil)
    #expect(!model.isConnected)
    #expect(model.weatherResults.isEmpty)
    #expect(model.state.connectionMessage == "Not connected to internet")
    #expect(model.title == "Weather")
  }

  @Test func `the path decides on the results, and leaves the place`() async {
    let path = PlayedPath()
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

  @Test func `a tap asks for authorization, and the grant brings the weather`() async {
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

  @Test func `a tap asks for authorization, and a refusal brings the alert and no more`() async {
    let scene = LocationClient.notDeterminedDenied
    // Neither starts updates nor asks for a location.
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
    #expect(model.authorizationAlert?.text == "Please give us location access.")
    #expect(model.currentPlace == nil)
    #expect(model.isConnected)
    #expect(model.weatherResults.isEmpty)
  }
}
