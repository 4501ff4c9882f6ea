// SPDX-License-Identifier: Apache-2.0

/// All weather providers: a new one is a folder in `Providers/` and a line here.
public enum WeatherCatalog {
  /// The providers, those that take no key first.
  public static let providers: [any WeatherProvider.Type] = [
    OpenMeteo.self, METNorway.self, NationalWeatherService.self, PirateWeather.self,
    OpenWeatherMap.self,
  ]

  /// The provider of a name.
  ///
  /// - Parameter name: The name.
  /// - Returns: `nil` where there is none.
  public static func provider(named name: String) -> (any WeatherProvider.Type)? {
    providers.first { $0.name == name }
  }
}
