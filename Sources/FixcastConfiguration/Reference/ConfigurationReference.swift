// SPDX-License-Identifier: Apache-2.0

/// Generates the reference page and the default file from the declarations.
package enum ConfigurationReference {
  package static func page(_ catalog: ConfigurationCatalog) -> String {
    let (fixed, plugins) = sections(catalog)
    let common = rows("## Every gate, stage and sink", "keys of every plugin", common)
    let parts = [fixed.map(rows), [common], plugins.map(rows)].flatMap { $0 }
    return "# Configuration\n\n\(introduction)\n\n\(parts.joined(separator: "\n\n"))\n"
  }

  package static func defaultFile(_ catalog: ConfigurationCatalog) -> String {
    let (fixed, plugins) = sections(catalog)
    let common =
      (["Keys of every gate, stage and sink:"] + common.map { "  \($0.name): \($0.summary)" })
      .map { "# \($0)" }.joined(separator: "\n")
    let introduction = introduction.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "#" : "# \($0)" }.joined(separator: "\n")
    let parts = [[introduction], fixed.map(lines), [common], plugins.map(lines)].flatMap { $0 }
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// Returns all sections, but only one provider's table, since all provider tables have the same
  /// keys.
  private static func sections(
    _ catalog: ConfigurationCatalog
  ) -> (fixed: [ConfigurationSection], plugins: [ConfigurationSection]) {
    let first = WeatherSettings.providerNames.first.map { "weather.\($0)" }
    let all = ConfigurationSection.all(catalog).filter {
      !$0.name.hasPrefix("weather.") || $0.name == first
    }
    return (all.filter { $0.type == nil }, all.filter { $0.type != nil })
  }

  private static var common: [SettingDeclaration] {
    PluginSettings.common.filter { $0.name != PluginSettings.typeKey.declaration.name }
  }

  private static func lines(_ section: ConfigurationSection) -> String {
    let type = section.type.map { ["#type = \(SettingValue.string($0).literal)"] } ?? []
    let keys = section.own.map { "# \($0.summary)\(remark($0))\n\(assignment($0))" }
    return (["# \(sentence(section.summary))", "#\(section.header)"] + type + keys)
      .joined(separator: "\n")
  }

  private static func rows(_ section: ConfigurationSection) -> String {
    let type = section.type.map { ", type = \(SettingValue.string($0).literal)" } ?? ""
    return rows("## \(section.header)\(type)", section.summary, section.own)
  }

  private static func rows(
    _ heading: String, _ summary: String, _ declarations: [SettingDeclaration]
  ) -> String {
    let head = "\(heading)\n\n\(sentence(summary))"
    guard !declarations.isEmpty else { return head }
    return head + "\n\n| key | value | default | description |\n|---|---|---|---|\n"
      + declarations.map(row).joined(separator: "\n")
  }

  private static let introduction = """
    All files and keys are optional: without them, a receiver that is plugged in just works.

    The daemon reads /etc/fixcast/config.toml, then /etc/fixcast/conf.d/*.toml in the order of
    their names. Later values replace earlier ones. [[gate]], [[stage]] and [[sink]] tables with
    the same name are merged key by key; others are appended. Locations pass the gates of the
    files, then the default stage place, gate reachability and stage weather, then the stages of
    the files. A table with the name of a default changes it; enabled = false removes it.
    `fixcast check-config --show` lists the active values, their origin, and the plan.
    """

  private static func row(_ declaration: SettingDeclaration) -> String {
    let accepted = declaration.kind.expectation + (declaration.isSecret ? " (never shown)" : "")
    let cells = [
      "`\(declaration.name)`", accepted, defaultText(declaration), declaration.summary,
    ].map { cell in cell.map { $0 == "|" ? "\\|" : String($0) }.joined() }
    return "| \(cells.joined(separator: " | ")) |"
  }

  private static func defaultText(_ declaration: SettingDeclaration) -> String {
    if declaration.isRequired { return "required" }
    return declaration.defaultValue.map { "`\(declaration.text(of: $0))`" } ?? ""
  }

  private static func remark(_ declaration: SettingDeclaration) -> String {
    declaration.isRequired ? "; required" : ""
  }

  private static func assignment(_ declaration: SettingDeclaration) -> String {
    let value = declaration.defaultValue ?? declaration.example ?? declaration.kind.placeholder
    let isHidden = declaration.isSecret && declaration.defaultValue == nil
    return "#\(declaration.name) = \(isHidden ? "\"...\"" : value.literal)"
  }

  private static func sentence(_ summary: String) -> String {
    (summary.first.map { $0.uppercased() } ?? "") + summary.dropFirst() + "."
  }
}

extension SettingKind {
  /// The value to show for a key that has neither a default nor an example.
  fileprivate var placeholder: SettingValue {
    switch self {
    case .text: .string("...")
    case .path, .credential: .string("/path")
    case .flag: .boolean(false)
    case .count(let range): .integer(Int64(range.lowerBound))
    case .number(let range), .seconds(let range): .number(range.lowerBound)
    case .choice(let words): .string(words.first ?? "...")
    case .list: .list([])
    case .table: .table(SettingsTable())
    }
  }
}
