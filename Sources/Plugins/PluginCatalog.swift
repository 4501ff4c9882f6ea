// SPDX-License-Identifier: Apache-2.0

/// Every plugin there is: a new one is a file in its folder and a line here.
package enum PluginCatalog {
  /// The gates, a file each in `Gates/`.
  package static let gates: [GatePlugin] = [
    AccuracyGate.plugin, AgeGate.plugin, DistanceGate.plugin, IntervalGate.plugin,
    ReachabilityGatePlugin.plugin,
  ]

  /// The gate of a name.
  ///
  /// Returns `nil` where there is none.
  package static func gate(named name: String) -> GatePlugin? { gates.first { $0.name == name } }

  /// The sinks, a file each in `Sinks/`.
  package static let sinks: [SinkPlugin] = [
    ExecSink.plugin, GPXSink.plugin, JSONLinesSink.plugin, LogSink.plugin, SQLiteSink.plugin,
    TextSink.plugin,
  ]

  /// The sink of a name.
  ///
  /// Returns `nil` where there is none.
  package static func sink(named name: String) -> SinkPlugin? { sinks.first { $0.name == name } }

  /// The stages, a file each in `Stages/`.
  package static let stages: [StagePlugin] = [
    ExecStage.plugin, PlaceStagePlugin.plugin, WeatherStagePlugin.plugin,
  ]

  /// The stage of a name.
  ///
  /// Returns `nil` where there is none.
  package static func stage(named name: String) -> StagePlugin? { stages.first { $0.name == name } }
}
