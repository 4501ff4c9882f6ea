// SPDX-License-Identifier: Apache-2.0

internal import Positioning
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

  /// A client that asks one provider.
  ///
  /// It knows no places.
  ///
  /// - Parameters:
  ///   - provider: Who is asked.
  ///   - lookup: How.
  ///   - notice: Told what a person should know of the provider, however good the answer is.
  /// - Returns: The client.
  public static func asking(
    _ provider: any WeatherProvider, by lookup: WeatherLookup = WeatherLookup(),
    notice: @escaping @Sendable (WeatherNotice) -> Void = { _ in }
  ) -> WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in [] },
      weather: { target throws(WeatherError) in
        guard case .coordinate(let coordinate) = target else {
          throw .unsupported("weather by place number")
        }
        let result = await lookup.ask(provider, at: coordinate)
        if result.isDeprecated { notice(.deprecated(provider: type(of: provider).name)) }
        return try result.report()
      })
  }

  /// A client that asks Open-Meteo, or a server that speaks its protocol.
  ///
  /// - Parameters:
  ///   - provider: Who is asked.
  ///   - deadline: How long the whole of an answer may take.
  /// - Returns: The client.
  public static func openMeteo(
    _ provider: OpenMeteo, deadline: Duration = .seconds(15)
  ) -> WeatherClient {
    asking(provider, by: WeatherLookup(deadline: deadline))
  }

  /// The same client, with places from a gazetteer instead of its own.
  ///
  /// No coordinate leaves the board for a place's name. The weather at a place of the gazetteer is
  /// asked for at its coordinate, so that providers need know no numbers of places; that of any
  /// other place is `WeatherError.unsupported`.
  ///
  /// - Parameter gazetteer: Who knows the places.
  /// - Returns: The client.
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

/// What a person should know of a provider, beside its answers.
public enum WeatherNotice: Equatable, Hashable, Sendable {
  /// It says of itself that it is about to end, or has only begun (203).
  case deprecated(provider: String)
}

extension WeatherNotice: CustomStringConvertible {
  /// The notice in a sentence.
  public var description: String {
    switch self {
    case .deprecated(let provider):
      "\(provider) says that what it answers is deprecated or in trial (203)"
    }
  }
}
