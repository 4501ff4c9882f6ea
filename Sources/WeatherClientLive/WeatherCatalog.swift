// SPDX-License-Identifier: Apache-2.0

/// All weather providers.
///
/// To add a provider, add a folder to `Providers/` and the type to ``providers``.
public enum WeatherCatalog {
  /// The provider types.
  ///
  /// Providers without a key come first.
  public static let providers: [any WeatherProvider.Type] = [
    OpenMeteo.self, METNorway.self, NationalWeatherService.self, PirateWeather.self,
    OpenWeatherMap.self,
  ]

  /// Returns the provider type with the given name, or `nil` if there is no such
  /// provider.
  public static func provider(named name: String) -> (any WeatherProvider.Type)? {
    providers.first { $0.name == name }
  }
}
