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

  private let standard = Coordinate.at(52, 13)

  private func model(_ client: LocationClient, _ weather: WeatherClient) -> RootViewModel {
    model(
      LiveLocationService(locationClient: client, timeout: .seconds(30), clock: clock), weather)
  }

  private func model(_ service: any LocationService, _ weather: WeatherClient) -> RootViewModel {
    let model = RootViewModel(
      locationService: service, weatherClient: weather, defaultLocation: standard)
    model.didFetchWeatherData = { outcomes.record($0) }
    return model
  }

  @Test func `the root view model shows the weather of the default location, then of the device`()
    async
  {
    let location = MockLocationManager(.authorizedWhenInUse)
    let weather = MockWeatherProvider()
    let model = model(location.client, weather.client)
    await outcomes.wait(for: 1)
    #expect(model.weather == .init(subject: .defaultLocation, report: .moderate(at: standard)))
    await location.requests.wait(for: 1)
    location.locate(.at(40))
    await outcomes.wait(for: 2)
    #expect(model.weather == .init(subject: .device, report: .moderate(at: .at(40, 0))))
    #expect(model.error == nil)
    #expect(weather.calls.events == [.weather(standard), .weather(.at(40, 0))])
  }

  @Test func `a silent weather provider does not delay the location request of the device`()
    async
  {
    let location = MockLocationManager(.notDetermined, answering: .authorizedWhenInUse)
    // The lookup for the default location never returns.
    let weather = MockWeatherProvider(holding: [.weather(standard)])
    let model = model(location.client, weather.client)
    #expect(await location.requests.wait(for: 2) == [.authorization, .location])
    #expect(model.weather == nil && model.error == nil)
    location.locate(.at(40))
    #expect(
      await outcomes.wait(for: 1) == [
        .success(.init(subject: .device, report: .moderate(at: .at(40, 0))))
      ])
    #expect(model.weather?.subject == .device)
  }

  @Test func `a late report of the default location does not replace the weather of the device`()
    async
  {
    let weather = MockWeatherProvider(holding: [.weather(standard)])
    let model = model(MockLocationService(.success(.at(40))), weather.client)
    await weather.calls.wait(for: 2)
    await outcomes.wait(for: 1)
    await weather.release(.weather(standard))
    // Run the main-actor jobs of the released lookup.
    for _ in 0..<100 { await Task.yield() }
    #expect(model.weather?.subject == .device)
    #expect(outcomes.events.count == 1)
  }

  @Test func `without authorization the root view model reports an error and keeps the weather`()
    async
  {
    let model = model(.notDeterminedDenied, MockWeatherProvider().client)
    await outcomes.wait(for: 2)
    #expect(outcomes.events.contains(.failure(.notAuthorizedToRequestLocation)))
    #expect(model.error == .notAuthorizedToRequestLocation)
    #expect(model.weather?.subject == .defaultLocation)
  }

  @Test func `a failure of the default location does not replace the error of the device`()
    async
  {
    let weather = MockWeatherProvider(holding: [.weather(standard)])
    weather.fail(.cancelled)
    let model = model(
      MockLocationService(.failure(.notAuthorizedToRequestLocation)), weather.client)
    await outcomes.wait(for: 1)
    await weather.release(.weather(standard))
    #expect(
      await outcomes.wait(for: 2) == [
        .failure(.notAuthorizedToRequestLocation), .failure(.noWeatherDataAvailable),
      ])
    #expect(model.error == .notAuthorizedToRequestLocation && model.weather == nil)
  }

  @Test func `a root view model without a default location shows only the device's weather`() async {
    let weather = MockWeatherProvider()
    let model = RootViewModel(
      locationService: MockLocationService(.success(.at(40))), weatherClient: weather.client,
      defaultLocation: nil)
    model.didFetchWeatherData = { outcomes.record($0) }
    await outcomes.wait(for: 1)
    #expect(model.weather?.subject == .device)
    #expect(weather.calls.events == [.weather(.at(40, 0))])
  }

  @Test func `the root view model reports an error of the location manager`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let model = model(location.client, MockWeatherProvider().client)
    await location.requests.wait(for: 1)
    location.send(.didFailWithError(.locationUnknown))
    await outcomes.wait(for: 2)
    #expect(model.error == .failedToRequestLocation)
    #expect(model.weather?.subject == .defaultLocation)
  }

  @Test func `the root view model reports a timeout of the location fetch`() async {
    let location = MockLocationManager(.authorizedWhenInUse)
    let model = model(location.client, MockWeatherProvider().client)
    await location.requests.wait(for: 1)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    await outcomes.wait(for: 2)
    #expect(model.error == .failedToRequestLocation)
  }

  @Test func `the root view model reports a failed lookup for each of the two locations`() async {
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
