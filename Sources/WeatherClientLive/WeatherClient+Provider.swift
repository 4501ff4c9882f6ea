// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

extension WeatherClient {
  /// A client that asks one provider.
  ///
  /// It knows no places.
  ///
  /// - Parameters:
  ///   - provider: Who is asked.
  ///   - lookup: How.
  /// - Returns: The client.
  public static func asking(
    _ provider: any WeatherProvider, by lookup: WeatherLookup = WeatherLookup()
  ) -> WeatherClient {
    WeatherClient(
      searchLocations: { _ throws(WeatherError) in [] },
      weather: { target throws(WeatherError) in
        guard case .coordinate(let coordinate) = target else {
          throw .unsupported("weather by place number")
        }
        return try await lookup.ask(provider, at: coordinate).report()
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
}
