// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Settings
internal import Synchronization

/// Reads the configuration again when it is told to, and gives on what is to change.
///
/// What is broken changes nothing: what ran before goes on, and what is wrong stands in the status
/// until the files are right again.
final class DaemonReloader: Sendable {
  /// What the daemon says of its configuration.
  struct Standing: Sendable {
    var running: DaemonConfiguration
    var errors: [String] = []
    /// The files that are in force: those that were there when they were right last.
    var files: [String] = []
    /// Which files cannot be emptied unnoticed.
    fileprivate var emptied: EmptiedFiles
  }

  /// Who reads: one at a time, so that what was read before is not applied after.
  ///
  /// Whoever comes meanwhile waits for nothing: it is read once more when that is done.
  private struct Turn {
    var isTaken = false
    var isWanted = false
    var isAsked = false
  }

  private let state: Mutex<Standing>
  private let turn = Mutex(Turn())
  private let load: @Sendable () -> Result<ConfigurationLoader.Loaded, SettingsErrors>
  private let apply: @Sendable (DaemonConfiguration, ConfigurationChange) -> Void
  private let lookOver: @Sendable (ConfigurationLoader.Loaded) -> Void
  private let report: @Sendable (DaemonNotice) -> Void
  private let files: @Sendable () -> [String]

  /// Makes a reloader.
  ///
  /// - Parameters:
  ///   - running: What runs.
  ///   - emptied: Knows which files say something of that.
  ///   - files: The files that are there now.
  ///   - load: Reads the files.
  ///   - apply: Changes what runs; returns at once.
  ///   - lookOver: Tells what is doubtful in what was read; returns at once.
  ///   - report: Takes what is to be logged; returns at once.
  init(
    running: DaemonConfiguration, emptied: EmptiedFiles = EmptiedFiles(),
    files: @escaping @Sendable () -> [String] = { [] },
    load: @escaping @Sendable () -> Result<ConfigurationLoader.Loaded, SettingsErrors>,
    apply: @escaping @Sendable (DaemonConfiguration, ConfigurationChange) -> Void,
    lookOver: @escaping @Sendable (ConfigurationLoader.Loaded) -> Void = { _ in },
    report: @escaping @Sendable (DaemonNotice) -> Void
  ) {
    state = Mutex(Standing(running: running, files: files(), emptied: emptied))
    self.files = files
    self.load = load
    self.apply = apply
    self.lookOver = lookOver
    self.report = report
  }

  /// What runs, and what is wrong with what the files say.
  var standing: Standing { state.withLock { $0 } }

  /// Reads the files once, now or as soon as whoever reads them has done so.
  ///
  /// - Parameter isAsked: Whether somebody asked for it, and so is told also that nothing changed.
  func reload(isAsked: Bool) {
    let begins = turn.withLock { turn in
      (turn.isWanted, turn.isAsked) = (true, turn.isAsked || isAsked)
      defer { turn.isTaken = true }
      return !turn.isTaken
    }
    guard begins else { return }
    while let isAsked = next() { reloadInTurn(isAsked: isAsked) }
  }

  /// Whether the next reading was asked for; `nil` where none is wanted, which gives the turn back.
  private func next() -> Bool? {
    turn.withLock { turn in
      guard turn.isWanted else {
        turn.isTaken = false
        return nil
      }
      defer { (turn.isWanted, turn.isAsked) = (false, false) }
      return turn.isAsked
    }
  }

  private func reloadInTurn(isAsked: Bool) {
    let running = standing.running
    let read = load()
    let present = files()
    let loaded = state.withLock { state in
      let loaded = state.emptied.check(read, isAsked: isAsked)
      if case .success = loaded { state.files = present }
      return loaded
    }
    let reload = ConfigurationReload(running: running, loaded: loaded)
    switch reload {
    case .nothing:
      let wasBroken = state.withLock { state in
        defer { state.errors = [] }
        return !state.errors.isEmpty
      }
      if wasBroken {
        report(.reloaded(["the configuration is right again, and says what runs already"]))
      } else if isAsked {
        report(.reloaded(["the configuration was read again: nothing changed"]))
        warn(loaded)
      }
    case .keep(let errors):
      let lines = errors.all.map(\.description)
      let isNew = state.withLock { state in
        defer { state.errors = lines }
        return state.errors != lines
      }
      // A file that is looked at again because another one changed is as broken as before.
      if isNew || isAsked { report(.configurationBroken(reload.messages)) }
    case .apply(var configuration, let change):
      // What counts only after a start stays what it is until then, and is told each time.
      configuration.daemon.socket = running.daemon.socket
      configuration.daemon.stateDirectory = running.daemon.stateDirectory
      state.withLock { state in
        state.running = configuration
        state.errors = []
      }
      apply(configuration, change)
      let summary = Self.summary(of: change, weather: running.weather, configuration.weather)
      report(.reloaded([summary] + reload.messages))
      warn(loaded)
    }
  }

  private func warn(_ loaded: Result<ConfigurationLoader.Loaded, SettingsErrors>) {
    if case .success(let read) = loaded { lookOver(read) }
  }

  /// Whom it tells where the board is from now on, where that is another.
  private static func weather(from old: WeatherSettings, to new: WeatherSettings) -> String {
    guard new.isEnabled else { return old.isEnabled ? "weather is off" : "weather changed" }
    let names = new.providers.map(\.name)
    if old.isEnabled, old.providers.map(\.name) == names { return "weather changed" }
    let verb = names.count == 1 ? "is" : "are"
    return "weather is on: \(names.joined(separator: " and ")) \(verb) asked"
  }

  /// What a change does, in one line.
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
