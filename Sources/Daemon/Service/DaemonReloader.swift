// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Synchronization

/// Reads the configuration again on request, and applies the changes.
///
/// A broken configuration changes nothing: its errors stay in the status until the files are right
/// again.
final class DaemonReloader: Sendable {
  struct Standing: Sendable {
    var running: DaemonConfiguration
    /// The errors of the last reload; empty if it succeeded.
    var errors: [String] = []
    /// The files that the running configuration was read from.
    var files: [String] = []
  }

  private let state: Mutex<Standing>
  private let load: @Sendable () -> Result<ConfigurationLoader.Loaded, SettingsErrors>
  private let apply: @Sendable (DaemonConfiguration, ConfigurationChange) -> Void
  private let report: @Sendable (DaemonLogEvent) -> Void
  private let files: @Sendable () -> [String]

  /// `files` lists the files that exist now; `apply` and `report` return at once.
  init(
    running: DaemonConfiguration, files: @escaping @Sendable () -> [String] = { [] },
    load: @escaping @Sendable () -> Result<ConfigurationLoader.Loaded, SettingsErrors>,
    apply: @escaping @Sendable (DaemonConfiguration, ConfigurationChange) -> Void,
    report: @escaping @Sendable (DaemonLogEvent) -> Void
  ) {
    state = Mutex(Standing(running: running, files: files()))
    self.files = files
    self.load = load
    self.apply = apply
    self.report = report
  }

  var standing: Standing { state.withLock { $0 } }

  /// Reloads once per request, one after the other, until the task is cancelled.
  func run(_ requests: AsyncStream<Void>) async {
    for await _ in requests { reload() }
  }

  /// Reads the files, and logs the result.
  ///
  /// Not to be called from two threads at once.
  func reload() {
    let running = standing.running
    let loaded = load()
    if case .success = loaded {
      let present = files()
      state.withLock { $0.files = present }
    }
    let reload = ConfigurationReload(running: running, loaded: loaded)
    switch reload {
    case .nothing:
      let wasBroken = state.withLock { state in
        defer { state.errors = [] }
        return !state.errors.isEmpty
      }
      report(
        .reloaded([
          wasBroken
            ? "the configuration is right again, and says what runs already"
            : "the configuration was read again: nothing changed"
        ]))
    case .keep(let errors):
      state.withLock { $0.errors = errors.all.map(\.description) }
      report(.configurationBroken(reload.messages))
    case .apply(var configuration, let change):
      // Both take effect at the next start; until then each reload says so.
      configuration.daemon.socket = running.daemon.socket
      configuration.daemon.stateDirectory = running.daemon.stateDirectory
      state.withLock { state in
        state.running = configuration
        state.errors = []
      }
      apply(configuration, change)
      let summary = Self.summary(of: change, weather: running.weather, configuration.weather)
      report(.reloaded([summary] + reload.messages))
    }
  }

  /// The change to the weather lookups; names the providers that the position is sent to from now on.
  private static func weather(from old: WeatherSettings, to new: WeatherSettings) -> String {
    guard new.isEnabled else { return old.isEnabled ? "weather is off" : "weather changed" }
    let names = new.providers.map(\.name)
    if old.isEnabled, old.providers.map(\.name) == names { return "weather changed" }
    let verb = names.count == 1 ? "is" : "are"
    return "weather is on: \(names.joined(separator: " and ")) \(verb) asked"
  }

  /// The changes in one line.
  static func summary(
    of change: ConfigurationChange, weather old: WeatherSettings, _ new: WeatherSettings
  ) -> String {
    let roles: [(String, ConfigurationChange.Names)] = [
      ("source", change.sources), ("gate", change.gates), ("stage", change.stages),
      ("sink", change.sinks),
    ]
    var parts: [String] = []
    for (role, names) in roles {
      parts += names.added.map { "\(role) \($0) added" }
      parts += names.removed.map { "\(role) \($0) removed" }
      parts += names.changed.map { "\(role) \($0) changed" }
      if names.isReordered { parts.append("\(role)s in another order") }
    }
    if change.isWeatherChanged { parts.append(Self.weather(from: old, to: new)) }
    if change.isLogLevelChanged { parts.append("log level changed") }
    return "the configuration was read again: "
      + (parts.isEmpty ? "nothing changes while it runs" : parts.joined(separator: ", "))
  }
}
