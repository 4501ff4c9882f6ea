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
  /// Whether this process is the service.
  ///
  /// A check by hand reports files that only the service may be able to read as warnings.
  package var isService = true

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
    /// The errors of files with secrets.
    ///
    /// Each disables only what needs the secret.
    package let secretErrors: SettingsErrors
    /// The files with secrets that this process cannot judge.
    package let secretWarnings: SettingsErrors
  }

  /// Reads the files, and the secrets that they name.
  package func load() -> Result<Loaded, SettingsErrors> {
    files.read().flatMap { written in
      let table = written.overlaid(by: overlay) { _, _ in nil }
      let secrets = secretFindings(in: table)
      func errors(_ kinds: SecretFinding.Kind...) -> [SettingsError] {
        secrets.filter { kinds.contains($0.kind) }.map(\.error)
      }
      let faults = sinkFaults(in: table) + errors(.configuration)
      switch DaemonConfiguration.read(table, catalog: catalog) {
      case .success(var configuration) where faults.isEmpty:
        configuration.weather.readKeys(from: credentialsFolder)
        configuration.web.resolveKey(from: credentialsFolder)
        return .success(
          Loaded(
            table: table, configuration: configuration, ignoredFiles: files.ignoredFiles,
            secretErrors: SettingsErrors(errors(.file)),
            secretWarnings: SettingsErrors(errors(.warning))))
      case .success: return .failure(SettingsErrors(faults + errors(.file)))
      case .failure(let invalid):
        return .failure(SettingsErrors(invalid.all + faults + errors(.file)))
      }
    }
  }

  private func secretFindings(in table: SettingsTable) -> [SecretFinding] {
    let check = SecretCheck(credentialsFolder: credentialsFolder, isService: isService)
    return ConfigurationSection.written(in: table, catalog).flatMap { table, section in
      check.findings(table, section.declarations)
    }
  }

  private func sinkFaults(in table: SettingsTable) -> [SettingsError] {
    SinkFileCheck().errors(ConfiguredSink.all(in: table, catalog))
  }
}

extension WeatherSettings {
  /// Reads the key files.
  fileprivate mutating func readKeys(from folder: String?) {
    for index in providers.indices {
      guard let name = providers[index].keyFile else { continue }
      let key = try? CredentialFile(name, folder: folder)?.read().exposed
      providers[index].configuration.key = key
      providers[index].isKeyMissing = key == nil
    }
  }
}
