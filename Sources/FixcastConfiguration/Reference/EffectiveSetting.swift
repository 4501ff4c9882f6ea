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
    } + standard(loaded)
  }

  /// Returns the sources and plugins that run by default.
  private static func standard(_ loaded: ConfigurationLoader.Loaded) -> [EffectiveSetting] {
    let sources =
      loaded.table["source"] == nil
      ? loaded.configuration.sources.map { ("source[1].type", $0.kind.text) } : []
    let plugins = loaded.configuration.plugins.filter { loaded.table[$0.role.rawValue] == nil }
      .map { ("\($0.role.rawValue).\($0.name).type", $0.type) }
    return (sources + plugins).map { EffectiveSetting(keyPath: $0, text: "\"\($1)\"", origin: nil) }
  }
}
