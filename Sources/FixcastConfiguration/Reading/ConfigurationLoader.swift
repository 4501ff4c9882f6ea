// SPDX-License-Identifier: Apache-2.0

internal import WeatherClientLive

/// Reads and checks the configuration, including the secret files and the sinks' files.
package struct ConfigurationLoader: Sendable {
  package let files: ConfigurationFiles
  /// The available plugins.
  package let catalog: ConfigurationCatalog
  /// The value of the environment variable `CREDENTIALS_DIRECTORY`.
  package let credentialsFolder: String?
  /// Settings that override the settings in the files.
  package var overlay = SettingsTable()

  package init(
    files: ConfigurationFiles, catalog: ConfigurationCatalog, credentialsFolder: String? = nil
  ) {
    self.files = files
    self.catalog = catalog
    self.credentialsFolder = credentialsFolder
  }

  package struct Loaded: Sendable {
    package let table: SettingsTable
    /// The configuration, including defaults.
    package let configuration: DaemonConfiguration
    /// Files of the configuration folder whose names do not end in `.toml`, which are ignored.
    package let ignoredFiles: [String]
  }

  package func load() -> Result<Loaded, SettingsErrors> {
    files.read().flatMap { written in
      let table = written.overlaid(by: overlay) { _, _ in nil }
      let faults = secretFaults(in: table) + sinkFaults(in: table)
      switch DaemonConfiguration.read(table, catalog: catalog) {
      case .success(var configuration) where faults.isEmpty:
        configuration.weather.readKeys(from: credentialsFolder)
        configuration.web.resolveKey(from: credentialsFolder)
        return .success(
          Loaded(table: table, configuration: configuration, ignoredFiles: files.ignoredFiles))
      case .success: return .failure(SettingsErrors(faults))
      case .failure(let errors): return .failure(SettingsErrors(errors.all + faults))
      }
    }
  }

  private func secretFaults(in table: SettingsTable) -> [SettingsError] {
    let check = SecretCheck(credentialsFolder: credentialsFolder)
    return ConfigurationSection.written(in: table, catalog).flatMap { table, section in
      check.errors(table, section.declarations)
    }
  }

  private func sinkFaults(in table: SettingsTable) -> [SettingsError] {
    SinkFileCheck().errors(ConfiguredSink.all(in: table, catalog))
  }
}

extension WeatherSettings {
  /// Reads the key files, which have already been checked.
  fileprivate mutating func readKeys(from folder: String?) {
    for index in providers.indices {
      guard let name = providers[index].keyFile else { continue }
      providers[index].configuration.key =
        try? CredentialFile(name, folder: folder)?.read().exposed
    }
  }
}
