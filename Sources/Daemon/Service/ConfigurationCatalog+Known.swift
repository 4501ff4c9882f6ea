// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import Plugins
internal import WeatherClient
internal import WeatherClientLive

extension ConfigurationCatalog {
  /// The plugins and providers that this program supports, and the names reserved for its own
  /// sinks.
  package static var known: ConfigurationCatalog {
    ConfigurationCatalog(
      plugins: PluginCatalog.plugins.map(\.description), providers: providers,
      reservedNames: [ClientsSink.sinkName, OutlookService.observerName, Daemon.journalName])
  }

  private static var providers: [Provider] {
    WeatherCatalog.providers.map { kind in
      Provider(name: kind.name) { weather, provider in
        // The check needs to know only whether a key is configured, not which one.
        let configuration = WeatherProviderConfiguration(
          baseURL: provider.baseURL, key: provider.hasKey ? "key" : nil, contact: weather.contact,
          gridDecimals: weather.gridDecimals)
        do throws(WeatherError) {
          _ = try kind.init(configuration)
          return nil
        } catch {
          return correction(error, of: kind.name)
        }
      }
    }
  }

  private static func correction(_ error: WeatherError, of name: String) -> String {
    guard case .misconfigured(let what) = error else { return error.description }
    if what.contains("contact") { return what + "; set contact = \"you@example.org\"" }
    return what.contains("key")
      ? what + "; set key_file below [weather.\(name)]" : what
  }
}
