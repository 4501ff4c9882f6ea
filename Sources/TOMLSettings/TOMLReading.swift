// SPDX-License-Identifier: Apache-2.0

internal import Settings
internal import TOMLKit

/// Turns the parser's values into ours, with the lines that the outline knows.
struct TOMLReading {
  let file: String

  /// A table, its entries in the order in which they were written: the parser sorts them by name.
  func table(
    _ table: TOMLTable, _ node: TOMLNode?, path: String, line: Int?
  ) throws(SettingsError) -> SettingsTable {
    var entries: [SettingEntry] = []
    // Side by side and not by subscript, which traps where a name is not found again.
    for (name, value) in zip(table.keys, table.values) {
      let child = node?.children[name]
      let origin = child?.line ?? line
      let inner = path.isEmpty ? name : "\(path).\(name)"
      entries.append(
        SettingEntry(
          name, try self.value(value, child, path: inner, line: origin), at: place(origin)))
    }
    entries.sort { ($0.origin?.line ?? 0) < ($1.origin?.line ?? 0) }
    return SettingsTable(path, at: place(line), entries: entries)
  }

  private func value(
    _ value: TOMLValue, _ node: TOMLNode?, path: String, line: Int?
  ) throws(SettingsError) -> SettingValue {
    if let text = value.string { return .string(text) }
    if let number = value.int { return .integer(Int64(number)) }
    if let number = value.double { return .number(number) }
    if let flag = value.bool { return .boolean(flag) }
    if let table = value.table {
      return .table(try self.table(table, node, path: path, line: line))
    }
    if let array = value.array {
      var values: [SettingValue] = []
      for (index, element) in array.enumerated() {
        let child = node.flatMap { index < $0.elements.count ? $0.elements[index] : nil }
        values.append(
          try self.value(
            element.tomlValue, child, path: "\(path)[\(index + 1)]", line: child?.line ?? line))
      }
      return .list(values)
    }
    // The scanner lets no date through.
    throw SettingsError(
      .wrongType(expected: "text, a number, true or false", found: "a date or a time"),
      keyPath: path, at: place(line))
  }

  private func place(_ line: Int?) -> SettingOrigin {
    SettingOrigin(file: file, line: line)
  }
}
