// SPDX-License-Identifier: Apache-2.0

public import Pipeline

/// A sink that can be asked for by name.
public struct SinkPlugin: Sendable {
  /// The name it is asked for by.
  public let name: String
  /// What it does, in a sentence.
  public let summary: String
  /// Makes one.
  public let make: @Sendable (SinkContext) -> any Sink
}

/// Every plugin there is: a new one is a file in its folder and a line here.
public enum PluginCatalog {
  /// The gates, a file each in `Gates/`.
  public static let gates: [GatePlugin] = [
    AccuracyGate.plugin, AgeGate.plugin, DistanceGate.plugin, IntervalGate.plugin,
    ReachabilityGatePlugin.plugin,
  ]

  /// The gate of a name.
  ///
  /// - Parameter name: The name.
  /// - Returns: `nil` where there is none.
  public static func gate(named name: String) -> GatePlugin? { gates.first { $0.name == name } }

  /// The sinks, a file each in `Sinks/`.
  public static let sinks: [SinkPlugin] = [JSONLinesSink.plugin, TextSink.plugin]

  /// The sink of a name.
  ///
  /// - Parameter name: The name.
  /// - Returns: `nil` where there is none.
  public static func sink(named name: String) -> SinkPlugin? { sinks.first { $0.name == name } }
}
