// SPDX-License-Identifier: Apache-2.0

package import Pipeline

/// The checked configuration of the daemon.
package struct DaemonConfiguration: Equatable, Sendable {
  package var daemon: DaemonSettings
  /// Never empty.
  package var sources: [SourceSettings]
  package var weather: WeatherSettings
  /// Each role in its order.
  package var plugins: [PluginSettings]

  package func plugins(_ role: PluginRole) -> [PluginSettings] {
    plugins.filter { $0.role == role }
  }

  package static func read(
    _ table: SettingsTable, catalog: ConfigurationCatalog
  ) -> Result<DaemonConfiguration, SettingsErrors> {
    var reader = ConfigurationReader(catalog: catalog)
    let configuration = reader.read(table)
    let errors = SettingsErrors(reader.errors)
    guard let configuration, errors.all.isEmpty else { return .failure(errors) }
    return .success(configuration)
  }
}

/// `[daemon]`.
package struct DaemonSettings: Equatable, Sendable {
  package enum LogLevel: String, CaseIterable, Sendable {
    case trace, debug, info, notice, warning, error, critical
  }

  package var socket: String
  package var stateDirectory: String
  package var logLevel: LogLevel

  static let socketKey = SettingKey.path(
    "socket", default: "/run/fixcast/fixcast.sock", summary: "where clients find the daemon")
  static let stateDirectoryKey = SettingKey.path(
    "state_directory", default: "/var/lib/fixcast",
    summary: "where authorizations, weather reports and budgets are kept")
  static let logLevelKey = SettingKey<LogLevel>.choice(
    "log_level", default: .info, summary: "how much is logged")

  package static let settings = [
    socketKey.declaration, stateDirectoryKey.declaration, logLevelKey.declaration,
  ]

  package init(_ settings: SettingsTable) throws(SettingsError) {
    socket = try settings.value(of: Self.socketKey)
    stateDirectory = try settings.value(of: Self.stateDirectoryKey)
    logLevel = try settings.value(of: Self.logLevelKey)
    for (name, path, folder) in [
      ("socket", socket, "/run/fixcast"), ("state_directory", stateDirectory, "/var/lib"),
    ] where !path.hasPrefix("/") {
      // No shell reads it: a ~ is nobody's home.
      let last = path.split(separator: "/").last { $0 != "~" } ?? "fixcast"
      throw settings.error(
        .conflict("has to be an absolute path, such as \(folder)/\(last)"), in: name)
    }
    // sun_path holds 108 bytes, the one that ends it included.
    guard socket.utf8.count <= 107 else {
      throw settings.error(
        .conflict("is longer than the 107 bytes of a socket's path"), in: "socket")
    }
  }
}
