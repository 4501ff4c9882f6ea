// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Synchronization

/// Reloads the configuration on request, and applies the changes.
///
/// An invalid configuration is not applied. Its errors stay in the status until a reload succeeds.
final class DaemonReloader: Sendable {
  struct Status: Sendable {
    var running: DaemonConfiguration
    /// The errors of the last reload; empty if it succeeded.
    var errors: [String] = []
    /// The errors of the running configuration's files with secrets, one per line.
    var secretErrors: [String] = []
    /// The files that the running configuration was read from.
    var files: [String] = []
  }

  private let state: Mutex<Status>
  private let load: @Sendable () -> Result<ConfigurationLoader.Loaded, SettingsErrors>
  private let apply: @Sendable (DaemonConfiguration, ConfigurationChange) -> Void
  private let unchanged: @Sendable (DaemonConfiguration) -> Void
  private let report: @Sendable (DaemonLogEvent) -> Void
  private let files: @Sendable () -> [String]

  /// Creates a reloader.
  ///
  /// `files` returns the existing configuration files. `unchanged` is called after a reload without
  /// changes, so that a port that was in use is tried again. `apply`, `unchanged` and `report` must
  /// return at once.
  init(
    running: DaemonConfiguration, secretErrors: [String] = [],
    files: @escaping @Sendable () -> [String] = { [] },
    load: @escaping @Sendable () -> Result<ConfigurationLoader.Loaded, SettingsErrors>,
    apply: @escaping @Sendable (DaemonConfiguration, ConfigurationChange) -> Void,
    unchanged: @escaping @Sendable (DaemonConfiguration) -> Void = { _ in },
    report: @escaping @Sendable (DaemonLogEvent) -> Void
  ) {
    state = Mutex(Status(running: running, secretErrors: secretErrors, files: files()))
    self.files = files
    self.load = load
    self.apply = apply
    self.unchanged = unchanged
    self.report = report
  }

  var status: Status { state.withLock { $0 } }

  /// Reloads once per request, one after the other, until the task is cancelled.
  func run(_ requests: AsyncStream<Void>) async {
    for await _ in requests { reload() }
  }

  /// Reads the files, applies the changes and logs the result.
  ///
  /// Do not call concurrently.
  func reload() {
    let running = status.running
    let loaded = load()
    if case .success(let configuration) = loaded {
      let present = files()
      let errors = configuration.secretErrors.all.map(\.description)
      state.withLock { ($0.files, $0.secretErrors) = (present, errors) }
      if !errors.isEmpty { report(.secretsUnusable(errors)) }
    }
    let reload = ConfigurationReload(running: running, loaded: loaded)
    switch reload {
    case .nothing:
      unchanged(running)
      let wasBroken = state.withLock { state in
        defer { state.errors = [] }
        return !state.errors.isEmpty
      }
      report(
        .reloaded([
          wasBroken
            ? "the configuration is valid again: nothing changed"
            : "configuration reloaded: nothing changed"
        ]))
    case .keep(let errors):
      state.withLock { $0.errors = errors.all.map(\.description) }
      report(.configurationBroken(reload.messages))
    case .apply(var configuration, let change):
      // Changes of the socket and of the state directory take effect at the next start. Until then,
      // each reload reports them as pending.
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

  /// Describes a change of the weather settings.
  ///
  /// Names the providers if the position is now sent to other providers than before.
  private static func weather(from old: WeatherSettings, to new: WeatherSettings) -> String {
    guard new.isEnabled else { return old.isEnabled ? "weather disabled" : "weather changed" }
    let names = new.providers.map(\.name)
    if old.isEnabled, old.providers.map(\.name) == names { return "weather changed" }
    return "weather enabled, using \(names.joined(separator: " and "))"
  }

  /// Returns all changes in one line.
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
      if names.isReordered { parts.append("\(role)s reordered") }
    }
    if change.isWeatherChanged { parts.append(Self.weather(from: old, to: new)) }
    parts += change.servers.map { "\($0) changed" }
    if change.isLogLevelChanged { parts.append("log level changed") }
    return "configuration reloaded: "
      + (parts.isEmpty ? "nothing changes until a restart" : parts.joined(separator: ", "))
  }
}
