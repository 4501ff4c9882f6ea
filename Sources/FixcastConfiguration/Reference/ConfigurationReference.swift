// SPDX-License-Identifier: Apache-2.0

internal import Settings

/// Texts for people, made from what is declared, so that they cannot differ from it.
public enum ConfigurationReference {
  /// The reference in Markdown: a heading a table, a row a key.
  ///
  /// - Parameter catalog: What there is to be configured.
  /// - Returns: The page.
  public static func page(_ catalog: ConfigurationCatalog) -> String {
    let sections = ConfigurationSection.all(catalog).map { section in
      """
      \(heading(section))

      \(sentence(section.summary))

      | key | takes | default | |
      |---|---|---|---|
      \(section.declarations.map(row).joined(separator: "\n"))
      """
    }
    return """
      # Configuration

      \(introduction)

      \(sections.joined(separator: "\n\n"))

      """
  }

  /// The default file: every table and key, commented out, with what holds without it.
  ///
  /// - Parameter catalog: What there is to be configured.
  /// - Returns: The file.
  public static func defaultFile(_ catalog: ConfigurationCatalog) -> String {
    let sections = ConfigurationSection.all(catalog).map { section in
      let keys = section.declarations.map { declaration in
        "# \(declaration.summary)\(remark(declaration))\n\(assignment(declaration, section))"
      }
      return "# \(sentence(section.summary))\n#\(section.header)\n\(keys.joined(separator: "\n"))"
    }
    return introduction.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "#" : "# \($0)" }.joined(separator: "\n")
      + "\n\n" + sections.joined(separator: "\n\n") + "\n"
  }

  private static let introduction = """
    Everything is optional: without any file, a receiver that is plugged in just works.

    Read are /etc/fixcast/config.toml and then /etc/fixcast/conf.d/*.toml in the order of their
    names. A later value takes an earlier one's place; [[gate]], [[stage]] and [[sink]] of one name
    are joined key by key, others are appended. Gates and stages run in the order in which they
    stand. `fixcast check-config --show` tells what holds and where it was said.
    """

  private static func heading(_ section: ConfigurationSection) -> String {
    "## \(section.header)" + (section.type.map { ", type = \"\($0)\"" } ?? "")
  }

  private static func row(_ declaration: SettingDeclaration) -> String {
    let takes = declaration.kind.expectation + (declaration.isSecret ? " (shown nowhere)" : "")
    let cells = [
      "`\(declaration.name)`", takes, standard(declaration), declaration.summary,
    ].map { cell in cell.map { $0 == "|" ? "\\|" : String($0) }.joined() }
    return "| \(cells.joined(separator: " | ")) |"
  }

  private static func standard(_ declaration: SettingDeclaration) -> String {
    if declaration.isRequired { return "required" }
    return declaration.defaultValue.map { "`\(declaration.text(of: $0))`" } ?? ""
  }

  private static func remark(_ declaration: SettingDeclaration) -> String {
    switch (declaration.isRequired, declaration.defaultValue) {
    case (true, _): "; required"
    case (false, nil): "; without a default"
    case (false, _?): ""
    }
  }

  /// `#key = value`: with its default, else with an example.
  private static func assignment(
    _ declaration: SettingDeclaration, _ section: ConfigurationSection
  ) -> String {
    if declaration.name == "type", let type = section.type {
      return "#type = \(declaration.text(of: .string(type)))"
    }
    if declaration.name == "name", let type = section.type {
      return "#name = \(declaration.text(of: .string(type)))"
    }
    let value = declaration.defaultValue ?? declaration.example ?? declaration.kind.placeholder
    return
      "#\(declaration.name) = \(declaration.isSecret ? "\"...\"" : declaration.text(of: value))"
  }

  private static func sentence(_ summary: String) -> String {
    (summary.first.map { $0.uppercased() } ?? "") + summary.dropFirst() + "."
  }
}

extension SettingKind {
  /// Something that it takes, where nobody gave an example.
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
