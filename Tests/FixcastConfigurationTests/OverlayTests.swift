// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("Merging of configuration files")
struct OverlayTests {
  @Test func `a later value and its origin replace the earlier value; other values are kept`() throws {
    let first = Self.table(
      "a",
      [
        ("x", .integer(1)), ("y", .list([.integer(1)])),
        ("t", .table(Self.table("a", [("u", .integer(1)), ("v", .integer(1))]))),
      ])
    let second = Self.table(
      "b",
      [
        ("z", .integer(2)), ("y", .list([.integer(2)])),
        ("t", .table(Self.table("b", [("v", .integer(2))]))),
      ])
    let both = Self.overlay(first, second)
    #expect(both.entries.map(\.name) == ["x", "y", "t", "z"])
    #expect(both["y"]?.value == .list([.integer(2)]))
    #expect(both["y"]?.origin?.file == "b")
    #expect(both["x"]?.origin?.file == "a")
    let inner = try both.table("t")
    #expect(inner["u"]?.origin?.file == "a")
    #expect(inner["v"]?.origin?.file == "b")
    #expect(inner["v"]?.value == .integer(2))
  }

  @Test func `tables in a list are merged if they have the same identity, otherwise appended`() {
    let first = Self.sinks(
      "a", [[("name", .string("one")), ("x", .integer(1)), ("y", .integer(1))]])
    let second = Self.sinks(
      "b",
      [
        [("name", .string("two"))], [("name", .string("one")), ("y", .integer(2))],
        [("x", .integer(3))],
      ])
    #expect(
      Self.overlay(first, second)
        == Self.sinks(
          "",
          [
            [("name", .string("one")), ("x", .integer(1)), ("y", .integer(2))],
            [("name", .string("two"))], [("x", .integer(3))],
          ]))
  }

  @Test func `a table with the same name but another type replaces the earlier table completely`() {
    let first = Self.sinks(
      "a", [[("name", .string("one")), ("type", .string("gpx")), ("x", .integer(1))]])
    let second = Self.sinks("b", [[("name", .string("one")), ("type", .string("log"))]])
    #expect(Self.overlay(first, second) == second)
  }

  @Test func `two tables with the same name in one file are both kept, so that the reader rejects them`() {
    let duplicates = Self.sinks("a", [[("name", .string("one"))], [("name", .string("one"))]])
    #expect(Self.overlay(SettingsTable(), duplicates) == duplicates)
    #expect(Self.overlay(duplicates, SettingsTable()) == duplicates)
  }

  private static func overlay(_ first: SettingsTable, _ second: SettingsTable) -> SettingsTable {
    first.overlaid(by: second) { list, table in
      guard list == "sink", case .string(let name)? = table["name"]?.value else { return nil }
      return name
    }
  }

  private static func table(_ file: String, _ values: [(String, SettingValue)]) -> SettingsTable {
    SettingsTable(
      entries: values.map { SettingEntry($0.0, $0.1, at: SettingOrigin(file: file, line: 1)) })
  }

  private static func sinks(_ file: String, _ sinks: [[(String, SettingValue)]]) -> SettingsTable {
    table(file, [("sink", .list(sinks.map { .table(table(file, $0)) }))])
  }
}
