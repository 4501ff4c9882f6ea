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
    live(places) { coordinate throws(WeatherError) in
      try await service.weather(at: coordinate)
    }
  }

  /// Returns a client that sends each lookup to Open-Meteo or a compatible server.
  ///
  /// Places are from a gazetteer, and a place search sends no request. The client applies no request
  /// limits.
  ///
  /// - Parameters:
  ///   - provider: The provider, with its base URL.
  ///   - deadline: The maximum duration of a lookup.
  ///   - places: The gazetteer.
  /// - Returns: The client.
  public static func openMeteo(
    _ provider: OpenMeteo, deadline: Duration = .seconds(15), places: Gazetteer = .geoNames
  ) -> WeatherClient {
    openMeteo(provider, lookup: WeatherLookup(deadline: deadline), places: places)
  }

  static func openMeteo(
    _ provider: OpenMeteo, lookup: WeatherLookup, places: Gazetteer = .geoNames
  ) -> WeatherClient {
    live(places) { coordinate throws(WeatherError) in
      try await lookup.ask(provider, at: coordinate).report()
    }
  }

  /// Returns a client that looks up the weather of a place by the coordinate in the gazetteer.
  private static func live(
    _ gazetteer: Gazetteer,
    _ weather: @escaping @Sendable (Coordinate) async throws(WeatherError) -> WeatherReport
  ) -> WeatherClient {
    WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        gazetteer.places(near: coordinate)
      },
      weather: { target throws(WeatherError) in
        switch target {
        case .coordinate(let coordinate): return try await weather(coordinate)
        case .place(let id):
          guard let place = gazetteer.place(id: id) else { throw .unknownPlace(id: id) }
          return try await weather(place.coordinate)
        }
      })
  }

  /// Returns a copy of the client that searches for places in a local gazetteer.
  ///
  /// Use this method for a client that has no places of its own. The clients of this module have a
  /// gazetteer already.
  ///
  /// A place search sends no coordinate over the network. For a weather lookup of a place in the
  /// gazetteer, the original client receives the coordinate of the place. A weather lookup of any
  /// other place throws `WeatherError.unknownPlace`.
  public func withPlaces(from gazetteer: Gazetteer = .geoNames) -> WeatherClient {
    let weather = weather
    return .live(gazetteer) { coordinate throws(WeatherError) in
      try await weather(.coordinate(coordinate))
    }
  }
}
