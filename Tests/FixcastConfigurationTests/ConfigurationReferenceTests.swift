// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("Reference page and default file")
struct ConfigurationReferenceTests {
  private static let catalog = TestCatalog.catalog
  /// The generated sections: only one provider's table, since all providers have the same keys.
  private static let sections = ConfigurationSection.all(catalog).filter {
    !$0.name.hasPrefix("weather.") || $0.name == "weather.openmeteo"
  }

  @Test func `the default file contains only comments, and is equivalent to an empty configuration`() throws {
    let file = ConfigurationReference.defaultFile(Self.catalog)
    #expect(try SettingsTable(toml: Array(file.utf8), file: "c.toml").isEmpty)
    #expect(try TestCatalog.read(file).get() == TestCatalog.read("").get())
  }

  @Test func `the uncommented default file contains each key once, with a valid value`() throws {
    let file = ConfigurationReference.defaultFile(Self.catalog)
    let lines = file.split(separator: "\n").map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }
    let table = try SettingsTable(toml: Array(lines.joined(separator: "\n").utf8), file: "c.toml")
    for section in Self.sections {
      let tables = Self.tables(section, in: table)
      #expect(tables.count == 1, "\(section.header)")
      for written in tables {
        #expect(Set(written.entries.map(\.name)).isSuperset(of: section.own.map(\.name)))
        let inner = Self.sections.filter { $0.name.hasPrefix("\(section.name).") }
          .map { $0.name.split(separator: ".").last.map(String.init) ?? "" }
        #expect(
          written.errors(declared: section.declarations).map(\.description)
            .filter { error in !inner.contains { error.contains("unknown key \"\($0)\"") } } == [])
      }
      for (written, declaration) in tables.flatMap({ table in
        section.own.map { (table, $0) }
      }) {
        guard let value = declaration.defaultValue else { continue }
        #expect(written[declaration.name]?.value == value, "\(section.header) \(declaration.name)")
      }
    }
  }

  @Test func `the reference page has a heading for each table and a complete row for each key`() {
    let page = ConfigurationReference.page(Self.catalog).split(separator: "\n")
    // One more heading is for the keys of every plugin: name, enabled, required, timeout_seconds.
    #expect(page.filter { $0.hasPrefix("## ") }.count == Self.sections.count + 1)
    let rows = page.filter { $0.hasPrefix("| `") }
    #expect(rows.count == Self.sections.map(\.own.count).reduce(0, +) + 4)
    #expect(
      rows.contains(
        "| `interval_seconds` | seconds from 0 to 86400 | `10` | minimum time between two points |"
      ))
    #expect(rows.contains("| `file` | a path in quotes | required | output file |"))
  }

  private static func tables(_ section: ConfigurationSection, in root: SettingsTable)
    -> [SettingsTable]
  {
    if section.isList {
      guard case .list(let values)? = root[section.name]?.value else { return [] }
      return values.compactMap { value in
        guard case .table(let table) = value else { return nil }
        guard let type = section.type else { return table }
        return table["type"]?.value == .string(type) ? table : nil
      }
    }
    let table = section.name.split(separator: ".").reduce(Optional(root)) { table, name in
      try? table?.table(String(name))
    }
    return [table].compactMap { $0 }
  }
}
