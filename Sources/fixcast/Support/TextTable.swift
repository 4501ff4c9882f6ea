// SPDX-License-Identifier: Apache-2.0

/// Rows of texts, each column as wide as its widest text.
struct TextTable {
  private var rows: [(columns: [String], remark: String?)] = []

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - columns: Its texts.
  ///   - remark: What stands below it, indented.
  mutating func add(_ columns: [String], remark: String? = nil) {
    rows.append((columns, remark))
  }

  /// The lines, without blanks at their ends.
  var lines: [String] {
    var widths: [Int] = []
    for row in rows {
      for (index, text) in row.columns.enumerated() {
        if index < widths.count {
          widths[index] = max(widths[index], text.count)
        } else {
          widths.append(text.count)
        }
      }
    }
    return rows.flatMap { row -> [String] in
      var line = ""
      for (text, width) in zip(row.columns, widths) {
        line += text + String(repeating: " ", count: width - text.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return [line] + (row.remark.map { ["  " + $0] } ?? [])
    }
  }
}
