// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
package import Pipeline

/// All plugins.
///
/// A new plugin needs a file in the folder of its role and an entry in ``plugins``.
package enum PluginCatalog {
  /// The gates in `Gates/`, the stages in `Stages/` and the sinks in `Sinks/`, one per file.
  package static let plugins: [Plugin] = [
    AccuracyGate.plugin, AgeGate.plugin, DistanceGate.plugin, IntervalGate.plugin,
    ReachabilityGatePlugin.plugin,
    ExecStage.plugin, PlaceStagePlugin.plugin, WeatherStagePlugin.plugin,
    ChronySink.plugin, ExecSink.plugin, FleetSink.plugin, GPXSink.plugin, JSONLinesSink.plugin,
    LogSink.plugin, MQTTSink.plugin, NMEASink.plugin, SQLiteSink.plugin, TextSink.plugin,
  ]

  /// Returns the plugins of a role.
  package static func plugins(_ role: PluginRole) -> [Plugin] {
    plugins.filter { $0.description.role == role }
  }

  /// Returns the plugin with a role and name; `nil` if there is no such plugin.
  package static func plugin(_ role: PluginRole, _ name: String) -> Plugin? {
    plugins(role).first { $0.name == name }
  }
}
