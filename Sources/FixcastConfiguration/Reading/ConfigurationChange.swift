// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// The difference between two configurations; ignores moved lines and changed comments.
package struct ConfigurationChange: Equatable, Sendable {
  package struct Names: Equatable, Sendable {
    package var added: [String] = []
    package var removed: [String] = []
    /// The sources or plugins whose settings differ; they restart.
    package var changed: [String] = []
    /// The sources or plugins whose settings are the same; they keep running.
    package var kept: [String] = []
    package var isReordered = false

    package var isEmpty: Bool {
      added.isEmpty && removed.isEmpty && changed.isEmpty && !isReordered
    }

    init<Element: Equatable>(
      from old: [Element], to new: [Element], _ name: (Element) -> String
    ) {
      let before = Dictionary(old.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
      let names = new.map(name)
      let newNames = Set(names)
      removed = old.map(name).filter { !newNames.contains($0) }
      for element in new {
        switch before[name(element)] {
        case nil: added.append(name(element))
        case element?: kept.append(name(element))
        case _?: changed.append(name(element))
        }
      }
      isReordered = old.map(name).filter(newNames.contains) != names.filter { before[$0] != nil }
    }
  }

  package let sources: Names
  package let gates: Names
  package let stages: Names
  package let sinks: Names
  package let isWeatherChanged: Bool
  package let isLogLevelChanged: Bool
  /// The tables of servers whose settings have changed, such as `gpsd_server`.
  package let servers: [String]
  /// Changed keys that take effect only after a restart of the daemon.
  package let needsRestart: [String]

  package init(from old: DaemonConfiguration, to new: DaemonConfiguration) {
    sources = Names(from: old.sources, to: new.sources, \.name)
    gates = Names(from: old.plugins(.gate), to: new.plugins(.gate), \.name)
    stages = Names(from: old.plugins(.stage), to: new.plugins(.stage), \.name)
    sinks = Names(from: old.plugins(.sink), to: new.plugins(.sink), \.name)
    isWeatherChanged = old.weather != new.weather
    isLogLevelChanged = old.daemon.logLevel != new.daemon.logLevel
    servers = [
      ("gpsd_server", old.gpsdServer != new.gpsdServer),
      ("nmea_server", old.nmeaServer != new.nmeaServer),
      ("metrics", old.metrics != new.metrics),
      ("web", old.web != new.web),
    ].filter(\.1).map(\.0)
    needsRestart = [
      ("daemon.socket", old.daemon.socket != new.daemon.socket),
      ("daemon.state_directory", old.daemon.stateDirectory != new.daemon.stateDirectory),
    ].filter(\.1).map(\.0)
  }

  package var isEmpty: Bool {
    sources.isEmpty && gates.isEmpty && stages.isEmpty && sinks.isEmpty && !isWeatherChanged
      && !isLogLevelChanged && servers.isEmpty && needsRestart.isEmpty
  }
}

/// The consequence of reading the configuration again.
package enum ConfigurationReload: Sendable {
  case nothing
  /// The files have errors; the running configuration stays active.
  case keep(SettingsErrors)
  case apply(DaemonConfiguration, ConfigurationChange)

  package init(
    running: DaemonConfiguration,
    loaded: Result<ConfigurationLoader.Loaded, SettingsErrors>
  ) {
    switch loaded {
    case .failure(let errors): self = .keep(errors)
    case .success(let loaded):
      let change = ConfigurationChange(from: running, to: loaded.configuration)
      self = change.isEmpty ? .nothing : .apply(loaded.configuration, change)
    }
  }

  /// The lines to log.
  package var messages: [String] {
    switch self {
    case .nothing: []
    case .keep(let errors):
      errors.all.map(\.description)
        + ["the configuration is invalid; the previous one stays active"]
    case .apply(_, let change):
      change.needsRestart.map {
        "\($0) takes effect only after a restart of the daemon: sudo systemctl restart fixcast"
      }
    }
  }
}
