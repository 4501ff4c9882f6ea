// SPDX-License-Identifier: Apache-2.0

import Positioning
import WeatherClient
import WeatherClientLive

/// Makes a client for Open-Meteo that also finds towns, in the data of the library.
func weatherOfTowns(contact: String, baseURL: String? = nil) -> WeatherClient {
  .openMeteo(OpenMeteo(baseURL: baseURL, contact: contact))
}

/// Returns the town nearest to a coordinate, and the temperature there.
func townWeather(
  at coordinate: Coordinate, _ client: WeatherClient
) async throws(WeatherError) -> String {
  let town = try await client.searchLocations(coordinate).first?.title ?? "no town nearby"
  let report = try await client.weather(.coordinate(coordinate))
  guard let temperature = report.now.temperatureDegreesCelsius else { return town }
  return "\(town): \(temperature) °C (\(report.provider))"
}
