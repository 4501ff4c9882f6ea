// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// What has to be done to get from one configuration to another.
public struct ConfigurationChange: Equatable, Sendable {
  /// What becomes of things that are known by their names.
  public struct Names: Equatable, Sendable {
    /// New ones, to be started.
    public var added: [String] = []
    /// Those that are gone, to be stopped.
    public var removed: [String] = []
    /// Those with other settings, to be stopped and started.
    public var changed: [String] = []
    /// Those that go on undisturbed.
    public var kept: [String] = []
    /// Whether those that stay come in another order.
    public var isReordered = false

    /// Whether nothing is to be done.
    public var isEmpty: Bool {
      added.isEmpty && removed.isEmpty && changed.isEmpty && !isReordered
    }

    init<Element: Equatable>(
      from old: [Element], to new: [Element], _ name: (Element) -> String
    ) {
      let before = Dictionary(old.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
      let names = new.map(name)
      let isThere = Set(names)
      removed = old.map(name).filter { !isThere.contains($0) }
      for element in new {
        switch before[name(element)] {
        case nil: added.append(name(element))
        case element?: kept.append(name(element))
        case _?: changed.append(name(element))
        }
      }
      isReordered = old.map(name).filter(isThere.contains) != names.filter { before[$0] != nil }
    }
  }

  /// The sources.
  public let sources: Names
  /// The gates.
  public let gates: Names
  /// The stages.
  public let stages: Names
  /// The sinks.
  public let sinks: Names
  /// Whether weather is to be set up anew.
  public let isWeatherChanged: Bool
  /// Whether another amount is logged from now on.
  public let isLogLevelChanged: Bool
  /// The keys that count only after the daemon is started again.
  public let needsRestart: [String]

  /// Compares two configurations.
  ///
  /// Moved lines and comments change nothing.
  ///
  /// - Parameters:
  ///   - old: What runs.
  ///   - new: What is to run.
  public init(from old: DaemonConfiguration, to new: DaemonConfiguration) {
    sources = Names(from: old.sources, to: new.sources, \.name)
    gates = Names(from: old.plugins(.gate), to: new.plugins(.gate), \.name)
    stages = Names(from: old.plugins(.stage), to: new.plugins(.stage), \.name)
    sinks = Names(from: old.plugins(.sink), to: new.plugins(.sink), \.name)
    isWeatherChanged = old.weather != new.weather
    isLogLevelChanged = old.daemon.logLevel != new.daemon.logLevel
    needsRestart = [
      ("daemon.socket", old.daemon.socket != new.daemon.socket),
      ("daemon.state_directory", old.daemon.stateDirectory != new.daemon.stateDirectory),
    ].filter(\.1).map(\.0)
  }

  /// Whether nothing is to be done.
  public var isEmpty: Bool {
    sources.isEmpty && gates.isEmpty && stages.isEmpty && sinks.isEmpty && !isWeatherChanged
      && !isLogLevelChanged && needsRestart.isEmpty
  }
}
