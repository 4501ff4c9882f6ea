// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

extension WeatherClient {
  /// A client that keeps to every rule of a service, and knows the places of a gazetteer.
  ///
  /// - Parameters:
  ///   - service: Who is asked for the weather.
  ///   - places: Who knows the places.
  /// - Returns: The client.
  public static func live(
    _ service: WeatherService, places: Gazetteer = .geoNames
  ) -> WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in [] },
      weather: { target throws(WeatherError) in
        guard case .coordinate(let coordinate) = target else {
          throw .unsupported("weather by place number")
        }
        return try await service.weather(at: coordinate)
      }
    ).withPlaces(from: places)
  }
}
