// SPDX-License-Identifier: Apache-2.0

internal import Positioning
public import WeatherClient

extension WeatherClient {
  /// A client that keeps to every rule of a service, and knows the places of a gazetteer.
  ///
  /// - Parameters:
  ///   - service: The service that is asked for the weather.
  ///   - places: The gazetteer.
  /// - Returns: The client.
  public static func live(
    _ service: WeatherService, places: Gazetteer = .geoNames
  ) -> WeatherClient {
    withoutPlaces { coordinate throws(WeatherError) in
      try await service.weather(at: coordinate)
    }.withPlaces(from: places)
  }

  /// A client that asks Open-Meteo, or a server that speaks its protocol.
  ///
  /// It knows no places.
  ///
  /// - Parameters:
  ///   - provider: The provider, with its base URL.
  ///   - deadline: The longest time of a lookup.
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

  /// The same client, with places from a gazetteer instead of its own.
  ///
  /// No coordinate leaves the board for a place's name. The weather at a place of the gazetteer is
  /// asked for at its coordinate, so that providers need know no numbers of places; that of any
  /// other place is `WeatherError.unsupported`.
  public func withPlaces(from gazetteer: Gazetteer = .geoNames) -> WeatherClient {
    let weather = weather
    return WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        gazetteer.nearest(to: coordinate).map { [$0] } ?? []
      },
      weather: { target throws(WeatherError) in
        guard case .place(let id) = target else { return try await weather(target) }
        guard let place = gazetteer.place(id: id) else {
          throw .unsupported("place \(id), which is in no gazetteer here")
        }
        return try await weather(.coordinate(place.coordinate))
      })
  }
}
