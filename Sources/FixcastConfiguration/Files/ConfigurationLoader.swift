// SPDX-License-Identifier: Apache-2.0

public import Settings

/// Reads the files, checks what they say, and looks at the files that they name: those that secrets
/// lie in, and those that sinks write to.
public struct ConfigurationLoader: Sendable {
  /// The files.
  public let files: ConfigurationFiles
  /// What there is to be configured.
  public let catalog: ConfigurationCatalog
  /// The environment's `CREDENTIALS_DIRECTORY`; `nil` where nothing was passed.
  public let credentialsFolder: String?
  /// What counts before what the files say.
  public var overlay = SettingsTable()

  /// Names what is read.
  ///
  /// - Parameters:
  ///   - files: The files.
  ///   - catalog: What there is to be configured.
  ///   - credentialsFolder: The environment's `CREDENTIALS_DIRECTORY`.
  public init(
    files: ConfigurationFiles, catalog: ConfigurationCatalog, credentialsFolder: String? = nil
  ) {
    self.files = files
    self.catalog = catalog
    self.credentialsFolder = credentialsFolder
  }

  /// What was read: what the files say, and what it means.
  public struct Loaded: Sendable {
    /// What the files say together.
    public let table: SettingsTable
    /// What it means, the defaults included.
    public let configuration: DaemonConfiguration
    /// The files of the folder that are not read since their names do not end in `.toml`.
    public let passedOver: [String]
  }

  /// Reads and checks.
  ///
  /// - Returns: What was read, or everything that is wrong with it.
  public func load() -> Result<Loaded, SettingsErrors> {
    files.read().flatMap { written in
      let table = written.overlaid(by: overlay) { _, _ in nil }
      let faults = secretFaults(in: table) + sinkFaults(in: table)
      switch DaemonConfiguration.read(table, catalog: catalog) {
      case .success(var configuration) where faults.isEmpty:
        configuration.weather.readKeys(from: credentialsFolder)
        return .success(
          Loaded(table: table, configuration: configuration, passedOver: files.passedOver))
      case .success: return .failure(SettingsErrors(faults))
      case .failure(let errors): return .failure(SettingsErrors(errors.all + faults))
      }
    }
  }

  private func secretFaults(in table: SettingsTable) -> [SettingsError] {
    let check = CredentialCheck(folder: credentialsFolder)
    return ConfigurationSection.written(in: table, catalog).flatMap { table, section in
      check.errors(table, section.declarations)
        + WrittenSecretCheck().errors(table, section.declarations)
    }
  }

  private func sinkFaults(in table: SettingsTable) -> [SettingsError] {
    SinkFileCheck().errors(WrittenSink.all(in: table, catalog))
  }
}

extension WeatherSettings {
  /// Takes in what lies in the files of keys, which have been found to be in order.
  fileprivate mutating func readKeys(from folder: String?) {
    for index in providers.indices {
      guard let name = providers[index].keyFile else { continue }
      providers[index].keyInFile = try? CredentialFile(name, folder: folder)?.read()
    }
  }
}
