// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
public import Settings

/// One value that holds, and where it comes from.
public struct EffectiveSetting: Equatable, Sendable {
  /// The key with its tables: `sink.gpx.interval_seconds`.
  public let keyPath: String
  /// The value as TOML writes it; the mask for a secret.
  public let text: String
  /// Where it was written; `nil` for a default.
  public let origin: SettingOrigin?

  /// Everything that holds: what the files say and the defaults, in the order of the default file.
  ///
  /// - Parameters:
  ///   - loaded: What was read.
  ///   - catalog: What there is to be configured.
  /// - Returns: The settings; keys without value or default are left out.
  public static func all(
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

  /// What runs though no file names it.
  private static func standard(_ loaded: ConfigurationLoader.Loaded) -> [EffectiveSetting] {
    let sources =
      loaded.table["source"] == nil
      ? loaded.configuration.sources.map { ("source[1].type", $0.kind.text) } : []
    let plugins = loaded.configuration.plugins.filter { loaded.table[$0.role.rawValue] == nil }
      .map { ("\($0.role.rawValue).\($0.name).type", $0.type) }
    return (sources + plugins).map { EffectiveSetting(keyPath: $0, text: "\"\($1)\"", origin: nil) }
  }
}
