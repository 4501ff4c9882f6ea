// SPDX-License-Identifier: Apache-2.0

/// All weather providers.
///
/// To add one, add a folder to `Providers/` and a line here.
public enum WeatherCatalog {
  /// The provider types.
  ///
  /// Those that need no key come first.
  public static let providers: [any WeatherProvider.Type] = [
    OpenMeteo.self, METNorway.self, NationalWeatherService.self, PirateWeather.self,
    OpenWeatherMap.self,
  ]

  /// Returns the provider type with the given name, or `nil` if none exists.
  public static func provider(named name: String) -> (any WeatherProvider.Type)? {
    providers.first { $0.name == name }
  }
}
