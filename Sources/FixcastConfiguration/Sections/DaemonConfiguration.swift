// SPDX-License-Identifier: Apache-2.0

package import DaemonServer
package import Logging
package import Pipeline

/// The validated configuration of the daemon.
package struct DaemonConfiguration: Equatable, Sendable {
  package var daemon: DaemonSettings
  /// The sources; never empty.
  package var sources: [SourceSettings]
  package var weather: WeatherSettings
  package var gpsdServer: FeedServer.Settings
  package var nmeaServer: FeedServer.Settings
  package var metrics: MetricsSettings
  package var web: WebServer.Settings
  /// The enabled plugins: gates and stages in the order that locations pass them, then sinks.
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

/// The settings of `[daemon]`.
package struct DaemonSettings: Equatable, Sendable {
  package var socket: String
  package var stateDirectory: String
  package var logLevel: Logger.Level

  static let socketKey = SettingKey.path(
    "socket", default: "/run/fixcast/fixcast.sock", summary: "socket for clients of the daemon")
  static let stateDirectoryKey = SettingKey.path(
    "state_directory", default: "/var/lib/fixcast",
    summary: "folder for authorizations, weather reports and request counts")
  static let logLevelKey = SettingKey<Logger.Level>.choice(
    "log_level", default: .info, summary: "least severe level that is logged")

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
      // No shell expands `~` in the path, so the suggested path must not contain it.
      let last = path.split(separator: "/").last { $0 != "~" } ?? "fixcast"
      throw settings.error(
        .conflict("must be an absolute path, such as \(folder)/\(last)"), in: name)
    }
    // sun_path holds 108 bytes, including the terminating NUL.
    guard socket.utf8.count <= 107 else {
      throw settings.error(
        .conflict("is longer than 107 bytes, the limit for a socket path"), in: "socket")
    }
  }
}
