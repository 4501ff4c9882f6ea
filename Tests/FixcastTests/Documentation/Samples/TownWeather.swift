// SPDX-License-Identifier: Apache-2.0

import Positioning
import WeatherClient
import WeatherClientLive

/// Makes a client that asks Open-Meteo, and knows towns from the library's own data.
func weatherOfTowns(contact: String, baseURL: String? = nil) -> WeatherClient {
  .openMeteo(OpenMeteo(baseURL: baseURL, contact: contact)).withPlaces()
}

/// The nearest town of a coordinate and the temperature there.
func townWeather(
  at coordinate: Coordinate, _ client: WeatherClient
) async throws(WeatherError) -> String {
  let town = try await client.searchLocations(coordinate).first?.title ?? "nowhere near a town"
  let report = try await client.weather(.coordinate(coordinate))
  guard let temperature = report.now.temperatureDegreesCelsius else { return town }
  return "\(town): \(temperature) °C, says \(report.provider)"
}
