// SPDX-License-Identifier: Apache-2.0

import LocationClient
import PathMonitorClient
import Positioning
import Testing
import WeatherClient
import WeatherFeature

/// The clients of "A tested weather feature in twenty lines" behave as described.
@Suite(.timeLimit(.minutes(5))) struct OwnClientsTests {
  private let place: Place

  init() throws {
    let coordinate = try #require(Coordinate(latitudeDegrees: 54.5, longitudeDegrees: 10.25))
    place = Place(id: 7, title: "Falshöft", coordinate: coordinate)
  }

  @Test @MainActor func `the model shows the weather of the article's own clients`() async {
    let model = WeatherModel(
      locationClient: locationClient(at: Location(coordinate: place.coordinate)),
      pathMonitor: .satisfied, weatherClient: weatherClient(of: place, temperature: 4),
      clock: ContinuousClock())
    for await state in model.states() where state.weather != nil { break }
    #expect(headline(of: model) == "Falshöft: 4.0 °C")
  }

  @Test func `the article's own weather client throws a typed error`() async {
    let client = weatherClient(of: place, temperature: 4)
    await #expect(throws: WeatherError.unsupported("weather elsewhere")) {
      try await client.weather(.place(8))
    }
  }
}
