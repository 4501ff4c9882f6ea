// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import Pipeline

/// A table of the configuration, with its keys.
package struct ConfigurationSection: Sendable {
  /// The name, such as `daemon`, `weather.openmeteo` or `sink`.
  package let name: String
  package let isList: Bool
  /// The type of a plugin's table; `nil` for other tables.
  package let type: String?
  /// A phrase without a period at the end.
  package let summary: String
  package let declarations: [SettingDeclaration]

  /// The keys, excluding the keys that all plugins have.
  package var own: [SettingDeclaration] {
    type == nil ? declarations : Array(declarations.dropFirst(PluginSettings.common.count))
  }

  package var header: String { isList ? "[[\(name)]]" : "[\(name)]" }

  /// Returns all tables, in the order of the default file.
  package static func all(_ catalog: ConfigurationCatalog) -> [ConfigurationSection] {
    let isTable = { (declaration: SettingDeclaration) in
      if case .table = declaration.kind { true } else { false }
    }
    let others = { (provider: String) in
      let names = WeatherSettings.providerNames.filter { $0 != provider }
      return names.isEmpty ? "" : "; the same keys exist for " + names.joined(separator: ", ")
    }
    return [
      Self("daemon", "daemon settings", DaemonSettings.settings),
      Self("source", isList: true, "sources of fixes", SourceSettings.settings),
      Self("weather", "weather lookups", WeatherSettings.settings.filter { !isTable($0) }),
    ]
      + WeatherSettings.providerNames.map {
        Self(
          "weather.\($0)", "settings of one provider\(others($0))",
          WeatherSettings.providerSettings)
      }
      + [
        Self(
          "gpsd_server", "server for programs that use gpsd", FeedServer.Settings.gpsd.settings),
        Self(
          "nmea_server", "server for programs that read NMEA 0183",
          FeedServer.Settings.nmea.settings),
        Self("metrics", "metrics for Prometheus", MetricsSettings.settings),
        Self("web", "status page for browsers over TCP", WebServer.Settings.settings),
      ]
      + PluginRole.allCases.flatMap { role in
        catalog.plugins(role).map {
          Self(
            role.rawValue, isList: true, type: $0.type, $0.summary,
            PluginSettings.common + $0.settings)
        }
      }
  }

  /// Returns the tables that the files contain, named as in error messages.
  static func written(
    in root: SettingsTable, _ catalog: ConfigurationCatalog
  ) -> [(SettingsTable, ConfigurationSection)] {
    all(catalog).flatMap { section -> [(SettingsTable, ConfigurationSection)] in
      section.tables(in: root).map { ($0, section) }
    }
  }

  private func tables(in root: SettingsTable) -> [SettingsTable] {
    guard isList else {
      var table = root
      for part in name.split(separator: ".") {
        guard let inner = try? table.table(String(part)) else { return [] }
        table = inner
      }
      return [table]
    }
    guard case .list(let values)? = root[name]?.value else { return [] }
    return values.enumerated().compactMap { offset, value -> SettingsTable? in
      guard case .table(let table) = value else { return nil }
      guard let type else { return table }
      guard ConfigurationReader.text("type", table) == type else { return nil }
      return table.named("\(name).\(ConfigurationReader.text("name", table) ?? type)")
    }
  }

  private init(
    _ name: String, isList: Bool = false, type: String? = nil, _ summary: String,
    _ declarations: [SettingDeclaration]
  ) {
    self.name = name
    self.isList = isList
    self.type = type
    self.summary = summary
    self.declarations = declarations
  }
}
