// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Settings

/// Everything that the daemon is told, checked.
public struct DaemonConfiguration: Equatable, Sendable {
  /// The program itself.
  public var daemon: DaemonSettings
  /// Where fixes come from; never empty.
  public var sources: [SourceSettings]
  /// Whether and whom weather is asked for.
  public var weather: WeatherSettings
  /// Gates, stages and sinks, each role in its order.
  public var plugins: [PluginSettings]

  /// The plugins of a role, in order.
  ///
  /// - Parameter role: The role.
  /// - Returns: The plugins.
  public func plugins(_ role: PluginRole) -> [PluginSettings] {
    plugins.filter { $0.role == role }
  }

  /// Reads a configuration.
  ///
  /// - Parameters:
  ///   - table: What the files say together; empty for the defaults.
  ///   - catalog: What there is to be configured.
  /// - Returns: The configuration, or everything that is wrong, in the order of the files.
  public static func read(
    _ table: SettingsTable, catalog: ConfigurationCatalog
  ) -> Result<DaemonConfiguration, SettingsErrors> {
    var reader = ConfigurationReader(catalog: catalog)
    let configuration = reader.read(table)
    let errors = SettingsErrors(reader.errors)
    guard let configuration, errors.all.isEmpty else { return .failure(errors) }
    return .success(configuration)
  }
}
