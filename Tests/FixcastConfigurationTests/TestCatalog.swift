// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Pipeline

/// Examples of plugins.
enum TestCatalog {
  private static let file = SettingKey.path("file", summary: "output file")
  private static let interval = SettingKey.seconds(
    "interval_seconds", in: 0...86_400, default: 10, summary: "minimum time between two points")
  private static let limit = SettingKey.number(
    "limit_metres", in: 0...10_000, summary: "worst accuracy that passes")
  private static let token = SettingKey.secret("token", summary: "password for the server")
    .optional
  private static let tokenFile = SettingKey.credential(
    "token_file", summary: "file with the password for the server"
  ).optional

  private static let variables = SettingKey.secrets(
    "variables", summary: "variables of the program")
  private static let variableFiles = SettingKey.credentials(
    "variable_files", summary: "files with more variables")

  static let catalog = ConfigurationCatalog(
    plugins: [
      PluginDescription(
        type: "accuracy", role: .gate, summary: "holds inaccurate locations",
        settings: [limit.declaration]),
      PluginDescription(
        type: "reachability", role: .gate, summary: "holds locations while offline",
        needsWeather: true),
      PluginDescription(type: "place", role: .stage, summary: "names the nearest place"),
      PluginDescription(
        type: "weather", role: .stage, summary: "looks up the weather", needsWeather: true),
      PluginDescription(
        type: "gpx", role: .sink, summary: "writes a GPX track",
        settings: [
          file.declaration, interval.declaration, token.declaration, tokenFile.declaration,
        ]
      ) { settings throws(SettingsError) in
        guard try settings.value(of: file).hasPrefix("/") else {
          throw settings.error(.conflict("must be an absolute path"), in: "file")
        }
      },
      PluginDescription(type: "log", role: .sink, summary: "writes to the log"),
      PluginDescription(
        type: "program", role: .sink, summary: "runs a program",
        settings: [variables.declaration, variableFiles.declaration]),
    ],
    defaults: [
      PluginKey(.stage, "place"), PluginKey(.gate, "reachability"), PluginKey(.stage, "weather"),
    ])

  static func read(_ toml: String, file: String = "c.toml") -> Result<
    DaemonConfiguration, SettingsErrors
  > {
    do throws(SettingsError) {
      return DaemonConfiguration.read(
        try SettingsTable(toml: Array(toml.utf8), file: file), catalog: catalog)
    } catch { return .failure(SettingsErrors([error])) }
  }

  /// Returns the lines of all errors; empty if the configuration is valid.
  static func errors(_ toml: String) -> [String] {
    switch read(toml) {
    case .success: []
    case .failure(let errors): errors.all.map(\.description)
    }
  }
}
