// SPDX-License-Identifier: Apache-2.0

package import FixcastConfiguration
internal import Plugins
internal import WeatherFeature

extension ConfigurationCatalog {
  /// The plugins that this program supports, and the names reserved for its own sinks.
  package static var known: ConfigurationCatalog {
    ConfigurationCatalog(
      plugins: PluginCatalog.plugins.map(\.description), defaults: WeatherBranch.order,
      reservedNames: [ClientsSink.sinkName, OutlookService.observerName, Daemon.journalName])
  }
}
