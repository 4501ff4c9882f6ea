// SPDX-License-Identifier: Apache-2.0

extension SettingsTable {
  /// This table with what a later file says.
  ///
  /// A later value takes an earlier one's place, tables are joined key by key, and so are two
  /// tables of a list that are the same thing; other tables of a list are appended. A table whose
  /// `type` is another takes the earlier one's place as a whole.
  ///
  /// - Parameters:
  ///   - later: What the later file says.
  ///   - identity: Which thing a table of the list of a name is about; `nil` for a new one.
  /// - Returns: Both together, each value with its own origin.
  public func overlaid(
    by later: SettingsTable, identity: (_ list: String, _ table: SettingsTable) -> String?
  ) -> SettingsTable {
    var result = self
    for entry in later.entries {
      guard let own = self[entry.name] else {
        result.set(entry)
        continue
      }
      let value: SettingValue =
        switch (own.value, entry.value) {
        case (.table(let table), .table(let other)):
          .table(table.overlaid(by: other, identity: { _, _ in nil }))
        case (.list(let values), .list(let others)):
          .list(Self.join(values, others) { identity(entry.name, $0) })
        default: entry.value
        }
      result.set(SettingEntry(entry.name, value, at: entry.origin))
    }
    return result
  }

  /// A list of plain values takes the other's place; one of tables is joined with it.
  private static func join(
    _ values: [SettingValue], _ others: [SettingValue], identity: (SettingsTable) -> String?
  ) -> [SettingValue] {
    let tables = values.compactMap(\.asTable)
    let others = (all: others, tables: others.compactMap(\.asTable))
    guard tables.count == values.count, others.tables.count == others.all.count else {
      return others.all
    }
    let positions = Dictionary(
      tables.enumerated().compactMap { offset, table in identity(table).map { ($0, offset) } },
      uniquingKeysWith: { first, _ in first })
    var result = tables
    for other in others.tables {
      guard let position = identity(other).flatMap({ positions[$0] }) else {
        result.append(other)
        continue
      }
      let isOther = other["type"].map { $0.value != result[position]["type"]?.value } ?? false
      result[position] =
        isOther ? other : result[position].overlaid(by: other, identity: { _, _ in nil })
    }
    return result.map(SettingValue.table)
  }
}
