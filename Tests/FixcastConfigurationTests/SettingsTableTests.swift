// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("SettingsTable")
struct SettingsTableTests {
  @Test func `all errors in a table are found, in the order of the file, with missing keys last`() {
    let table = Track.table([
      "intervall_seconds": .integer(5), "append": .string("yes"), "colour": .string("red"),
      "server": .table(
        SettingsTable(
          "sink.gpx.server",
          entries: [
            SettingEntry("limit", .integer(1), at: SettingOrigin(file: "config.toml", line: 20))
          ])),
    ])
    #expect(
      table.errors(declared: Track.settings).map(\.description) == [
        #"config.toml:12: sink.gpx: unknown key "intervall_seconds"; did you mean "interval_seconds"?"#,
        "config.toml:13: sink.gpx.append: expected true or false, got text in quotes",
        #"config.toml:14: sink.gpx: unknown key "colour"; list all keys with: "#
          + "fixcast check-config --reference",
        #"config.toml:20: sink.gpx.server: unknown key "limit"; did you mean "limit_bytes"?"#,
        #"config.toml:11: sink.gpx: "file" is missing: output file"#,
      ])
  }

  @Test func `a valid settings table has no errors`() {
    let table = Track.table(["file": .string("a"), "limit_bytes": .integer(1024)])
    #expect(table.errors(declared: Track.settings) == [])
  }

  @Test func `a missing subtable is empty, and a subtable key with another type of value is an error`() throws {
    let table = Track.table(["server": .string("x")])
    #expect(try table.table("client") == SettingsTable())
    #expect(try table.table("client").keyPath == "sink.gpx.client")
    #expect(
      throws: SettingsError(
        .wrongType(expected: "a table", found: "text in quotes"), keyPath: "sink.gpx.server",
        at: SettingOrigin(file: "config.toml", line: 12))
    ) { try table.table("server") }
  }

  @Test func `renaming a table renames all its subtables`() throws {
    let inner = SettingsTable("a.b", entries: [SettingEntry("c", .table(SettingsTable("a.b.c")))])
    let table = SettingsTable("a", entries: [SettingEntry("b", .table(inner))]).named("z")
    #expect(try table.table("b").table("c").keyPath == "z.b.c")
  }

  @Test func `tables are equal if they contain the same values, regardless of order and origin`() {
    let one = Track.table(["file": .string("a"), "append": .boolean(true)])
    let other = SettingsTable(
      entries: [SettingEntry("append", .boolean(true)), SettingEntry("file", .string("a"))])
    #expect(one == other)
    #expect(one != SettingsTable(entries: [SettingEntry("file", .string("a"))]))
    #expect(one != Track.table(["file": .string("b"), "append": .boolean(true)]))
  }

  @Test func `setting an entry replaces an earlier entry with the same name`() {
    let table = Track.table(["file": .string("a"), "append": .boolean(true), "file": .string("b")])
    #expect(table.entries.map(\.name) == ["file", "append"])
    #expect(table["file"]?.value == .string("b"))
    #expect(table["file"]?.origin?.line == 14)
  }
}
