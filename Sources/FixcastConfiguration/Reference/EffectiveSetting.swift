// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// An active value and its origin.
package struct EffectiveSetting: Equatable, Sendable {
  package let keyPath: String
  /// The value in TOML; secrets are masked.
  package let text: String
  /// The file and line; `nil` for a default.
  package let origin: SettingOrigin?

  /// Returns all active values, in the order of the default file.
  package static func all(
    _ loaded: ConfigurationLoader.Loaded, _ catalog: ConfigurationCatalog
  ) -> [EffectiveSetting] {
    ConfigurationSection.written(in: loaded.table, catalog).flatMap { table, section in
      section.declarations.compactMap { declaration -> EffectiveSetting? in
        let entry = table[declaration.name]
        guard let value = entry?.value ?? declaration.defaultValue else { return nil }
        let type = ConfigurationReader.text("type", table) ?? "auto"
        if section.name == "source", !SourceSettings.isKey(declaration.name, for: type) {
          return nil
        }
        return EffectiveSetting(
          keyPath: table.path(of: declaration.name), text: declaration.text(of: value),
          origin: entry?.origin)
      }
    } + defaults(loaded, catalog) + [plan(loaded.configuration)]
  }

  /// Returns the sources and plugins that run by default.
  private static func defaults(
    _ loaded: ConfigurationLoader.Loaded, _ catalog: ConfigurationCatalog
  ) -> [EffectiveSetting] {
    let written = ConfigurationSection.written(in: loaded.table, catalog).map(\.0.keyPath)
    let sources =
      loaded.table["source"] == nil
      ? loaded.configuration.sources.map { ("source[1].type", "\($0.specification)") } : []
    let plugins = loaded.configuration.plugins.map { ("\($0.role.rawValue).\($0.name)", $0.type) }
      .filter { !written.contains($0.0) }.map { ("\($0.0).type", $0.1) }
    return (sources + plugins).map { EffectiveSetting(keyPath: $0, text: "\"\($1)\"", origin: nil) }
  }

  /// Returns the plugins in the order that locations pass them.
  private static func plan(_ configuration: DaemonConfiguration) -> EffectiveSetting {
    let plugins = configuration.plugins.map { "\"\($0.role.rawValue).\($0.name)\"" }
    return EffectiveSetting(
      keyPath: "plan", text: "[\(plugins.joined(separator: ", "))]", origin: nil)
  }
}
