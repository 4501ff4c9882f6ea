// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import Plugins
internal import WeatherClient
internal import WeatherClientLive
internal import WeatherFeature

extension ConfigurationCatalog {
  /// The plugins and providers that this program supports, and the names reserved for its own
  /// sinks.
  package static var known: ConfigurationCatalog {
    ConfigurationCatalog(
      plugins: PluginCatalog.plugins.map(\.description), providers: providers,
      defaults: WeatherBranch.order,
      reservedNames: [ClientsSink.sinkName, OutlookService.observerName, Daemon.journalName])
  }

  private static var providers: [Provider] {
    WeatherCatalog.providers.map { kind in
      Provider(name: kind.name) { weather, provider in
        // The check depends only on whether a key is configured, not on the key itself.
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
    guard case .misconfigured(let problem) = error else { return error.description }
    if problem.contains("contact") { return problem + "; set contact = \"you@example.org\"" }
    return problem.contains("key")
      ? problem + "; set key_file below [weather.\(name)]" : problem
  }
}
