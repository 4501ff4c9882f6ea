// SPDX-License-Identifier: Apache-2.0

import Plugins

/// A table with left-aligned columns.
///
/// Each column is as wide as its widest text. A text wider than `maxWidth` does not widen the
/// column, but shifts the following texts of its row.
struct TextTable {
  /// The maximum width of a column.
  private let maxWidth: Int
  private var rows: [(columns: [String], remark: String?)] = []

  /// Makes a table without rows.
  init(maxWidth: Int = .max) { self.maxWidth = maxWidth }

  /// Adds a row.
  mutating func add(_ columns: [String], remark: String? = nil) {
    rows.append((columns, remark))
  }

  /// The lines, without trailing spaces.
  var lines: [String] {
    var widths: [Int] = []
    for row in rows {
      for (index, text) in row.columns.dropLast().enumerated() {
        if index == widths.count { widths.append(0) }
        let width = Text.columns(text)
        if width <= maxWidth { widths[index] = max(widths[index], width) }
      }
    }
    return rows.flatMap { row -> [String] in
      var line = ""
      for (index, text) in row.columns.enumerated() {
        let width = index < widths.count ? widths[index] : 0
        line += text + String(repeating: " ", count: max(width - Text.columns(text), 0) + 2)
      }
      while line.last == " " { line.removeLast() }
      return [line] + (row.remark.map { ["  " + $0] } ?? [])
    }
  }
}
