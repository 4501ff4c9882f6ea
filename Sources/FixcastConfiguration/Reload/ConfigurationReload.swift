// SPDX-License-Identifier: Apache-2.0

public import Settings

/// What to do after the files were read again.
public enum ConfigurationReload: Sendable {
  /// They say what runs already.
  case nothing
  /// They are wrong: what runs goes on, and the errors are told.
  case keep(SettingsErrors)
  /// They say something else.
  case apply(DaemonConfiguration, ConfigurationChange)

  /// Decides.
  ///
  /// - Parameters:
  ///   - running: What runs.
  ///   - loaded: What was read.
  public init(
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

  /// What is logged, a line each; empty where nothing is to be told.
  public var messages: [String] {
    switch self {
    case .nothing: []
    case .keep(let errors):
      errors.all.map(\.description) + ["the configuration is broken; the one before goes on"]
    case .apply(_, let change):
      change.needsRestart.map {
        "\($0) counts only after the daemon is started again: systemctl restart fixcast"
      }
    }
  }
}
