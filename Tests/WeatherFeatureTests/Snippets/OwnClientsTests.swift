// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@Suite(.timeLimit(.minutes(5))) struct OwnClientsTests {
  @Test @MainActor func `the model shows the weather of the article's own clients`() async {
    let here = Coordinate.at(54.5, 10.25)
    let place = Place(id: 7, title: "Falshöft", coordinate: here)
    let model = WeatherModel(
      locationClient: locationClient(at: Location(coordinate: here)), pathMonitor: .satisfied,
      weatherClient: weatherClient(of: place, temperature: 4), clock: ContinuousClock())
    for await state in model.states() where state.weather != nil { break }
    #expect(headline(of: model) == "Falshöft: 4.0 °C")
  }

  @Test func `the article's own weather client throws a typed error`() async {
    let place = Place(id: 7, title: "Falshöft", coordinate: .at(54.5, 10.25))
    let client = weatherClient(of: place, temperature: 4)
    await #expect(throws: WeatherError.unsupported("weather elsewhere")) {
      try await client.weather(.place(8))
    }
  }
}
