// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationClient
import LocationServices
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@Suite("Root view model", .timeLimit(.minutes(5)))
@MainActor struct RootViewModelTests {
  private typealias Outcome = Result<RootViewModel.Fetched, WeatherDataError>

  private let clock = ManualClock()
  private let outcomes = EventRecorder<Outcome>()

  private func model(_ client: LocationClient, _ weather: WeatherClient) -> RootViewModel {
    let service = LocationService(locationClient: client, timeout: .seconds(30), clock: clock)
    let model = RootViewModel(locationService: service, weatherClient: weather)
    model.didFetchWeatherData = { outcomes.record($0) }
    return model
  }

  @Test func `the model shows the weather for the default place and afterwards for the device`()
    async throws
  {
    let location = MockLocationManager(.authorizedWhenInUse)
    let weather = MockWeatherProvider()
    let model = model(location.client, weather.client)
    await location.requests.wait(for: 1)
    let standard = try #require(RootViewModel.defaultCoordinate)
    #expect(model.weather?.subject == .defaultPlace)
    #expect(model.weather?.report == .moderate(at: standard))
    location.locate(.at(40))
    await outcomes.wait(for: 2)
    #expect(model.weather == .init(subject: .device, report: .moderate(at: .at(40, 0))))
    #expect(model.error == nil)
    #expect(weather.calls.events == [.weather(standard), .weather(.at(40, 0))])
    #expect(standard == .at(37.335114, -122.008928))
  }

  @Test func `without authorization the model reports an error and keeps the default weather`()
    async
  {
    let model = model(.notDeterminedDenied, MockWeatherProvider().client)
    await outcomes.wait(for: 2)
    #expect(outcomes.events.last == .failure(.notAuthorizedToRequestLocation))
    #expect(model.error == .notAuthorizedToRequestLocation)
    #expect(model.weather?.subject == .defaultPlace)
  }

  @Test func `the model reports an error of the location manager`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let model = model(location.client, MockWeatherProvider().client)
    await location.requests.wait(for: 1)
    location.send(.didFailWithError(.locationUnknown))
    await outcomes.wait(for: 2)
    #expect(model.error == .failedToRequestLocation)
    #expect(model.weather?.subject == .defaultPlace)
  }

  @Test func `the model reports a timeout of the location fetch`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let model = model(location.client, MockWeatherProvider().client)
    await location.requests.wait(for: 1)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    await outcomes.wait(for: 2)
    #expect(model.error == .failedToRequestLocation)
  }

  @Test func `the model reports a failed lookup for each of the two places`() async {
    let model = model(.authorizedWhenInUse, .failed)
    await outcomes.wait(for: 2)
    #expect(
      outcomes.events == Array(repeating: .failure(.noWeatherDataAvailable), count: 2))
    #expect(model.weather == nil)
    #expect(model.error == .noWeatherDataAvailable)
  }

  @Test func `each weather data error has a title and a message`() {
    let errors = WeatherDataError.allCases
    #expect(
      errors.map(\.title) == [
        "Unable to Fetch Weather Data for Your Location",
        "Unable to Fetch Weather Data for Your Location", "Unable to Fetch Weather Data",
      ])
    #expect(
      errors.map(\.message) == [
        "This program is not authorized to know your location. To grant access, see the output of "
          + "fixcast auth pending.",
        "Your location could not be found, due to a technical issue.",
        "No weather data is available. Is the board connected to the internet?",
      ])
  }

  @Test func `the root view model can be released while the location fetch is running`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    var model: RootViewModel? = model(location.client, MockWeatherProvider().client)
    weak let released = model
    await location.requests.wait(for: 1)
    #expect(released != nil)
    model = nil
    #expect(released == nil)
  }
}
