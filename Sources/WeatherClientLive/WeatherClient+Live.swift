// SPDX-License-Identifier: Apache-2.0

internal import Positioning
public import WeatherClient

extension WeatherClient {
  /// Returns a client that gets weather from a service, and places from a gazetteer.
  ///
  /// All request limits of the service apply.
  public static func live(
    _ service: WeatherService, places: Gazetteer = .geoNames
  ) -> WeatherClient {
    withoutPlaces { coordinate throws(WeatherError) in
      try await service.weather(at: coordinate)
    }.withPlaces(from: places)
  }

  /// Returns a client that sends each lookup to Open-Meteo or a compatible server.
  ///
  /// The client has no gazetteer: `searchLocations` returns an empty list. The client applies no
  /// request limits.
  ///
  /// - Parameters:
  ///   - provider: The provider, with its base URL.
  ///   - deadline: The maximum duration of a lookup.
  /// - Returns: The client.
  public static func openMeteo(
    _ provider: OpenMeteo, deadline: Duration = .seconds(15)
  ) -> WeatherClient {
    let lookup = WeatherLookup(deadline: deadline)
    return withoutPlaces { coordinate throws(WeatherError) in
      try await lookup.ask(provider, at: coordinate).report()
    }
  }

  private static func withoutPlaces(
    _ weather: @escaping @Sendable (Coordinate) async throws(WeatherError) -> WeatherReport
  ) -> WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in [] },
      weather: { target throws(WeatherError) in
        guard case .coordinate(let coordinate) = target else {
          throw .unsupported("weather by place number")
        }
        return try await weather(coordinate)
      })
  }

  /// Returns a copy of the client that searches for places in a local gazetteer.
  ///
  /// A place search sends no coordinate over the network. For a weather lookup of a place in the
  /// gazetteer, the original client receives the coordinate of the place. A weather lookup of any
  /// other place throws `WeatherError.unsupported`.
  public func withPlaces(from gazetteer: Gazetteer = .geoNames) -> WeatherClient {
    let weather = weather
    return WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        gazetteer.nearest(to: coordinate).map { [$0] } ?? []
      },
      weather: { target throws(WeatherError) in
        guard case .place(let id) = target else { return try await weather(target) }
        guard let place = gazetteer.place(id: id) else {
          throw .unsupported("place \(id), which is not in the gazetteer")
        }
        return try await weather(.coordinate(place.coordinate))
      })
  }
}
