// SPDX-License-Identifier: Apache-2.0

import LocationClient
import PathMonitorClient
import Testing
import WeatherClient
import WeatherFeature

/// Returns the text for a display with one line.
@MainActor func headline(of model: WeatherModel) -> String {
  let temperature = model.weather?.now.temperatureDegreesCelsius
  return model.title + (temperature.map { ": \($0) °C" } ?? "")
}

@Test(.timeLimit(.minutes(1)))
@MainActor func `the headline names the place and its temperature`() async {
  let model = WeatherModel(
    locationClient: .authorizedWhenInUse, pathMonitor: .satisfied,
    weatherClient: .happyPath, clock: ContinuousClock())
  for await state in model.states() where state.weather != nil { break }
  #expect(headline(of: model) == "New York: 20.0 °C")
}
