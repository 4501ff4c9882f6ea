// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Plugins
import WeatherClient
import WeatherClientLive
import WeatherFeature

extension ConfigurationCatalog {
  /// What this program can be told.
  static var known: ConfigurationCatalog {
    ConfigurationCatalog(plugins: feature + sinks, providers: providers)
  }

  /// What the weather feature brings along.
  private static let feature = [
    PluginDescription(
      type: ReachabilityGate.name, role: .gate,
      summary: "holds lookups while there is no way to the network", needsWeather: true),
    PluginDescription(type: "place", role: .stage, summary: "names the nearest place"),
    PluginDescription(
      type: "weather", role: .stage, summary: "looks up the weather", needsWeather: true),
  ]

  private static var sinks: [PluginDescription] {
    PluginCatalog.sinks.map {
      PluginDescription(type: $0.name, role: .sink, summary: $0.summary)
    }
  }

  private static var providers: [Provider] {
    WeatherCatalog.providers.map { kind in
      Provider(name: kind.name) { weather, provider in
        // Any key does here: only whether there is one counts.
        let configuration = WeatherProviderConfiguration(
          baseURL: provider.baseURL, key: provider.hasKey ? "key" : nil, contact: weather.contact,
          gridDecimals: weather.gridDecimals)
        do throws(WeatherError) {
          _ = try kind.init(configuration)
          return nil
        } catch {
          return lack(error, of: kind.name)
        }
      }
    }
  }

  private static func lack(_ error: WeatherError, of name: String) -> String {
    guard case .misconfigured(let what) = error else { return error.description }
    if what.contains("contact") { return what + "; write contact = \"you@example.org\"" }
    return what.contains("key")
      ? what + "; name its file as key_file below [weather.\(name)]" : what
  }
}
