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
}
