// SPDX-License-Identifier: Apache-2.0

/// The columns of a table as array literals of PostgreSQL, the parameters of `unnest`.
struct ArrayParameters {
  private var columns: [String]

  /// Creates a number of empty columns.
  init(columns count: Int) { columns = Array(repeating: "{", count: count) }

  /// The array literals.
  var texts: [String?] { columns.map { $0 + "}" } }

  mutating func append(_ column: Int, _ value: Int64?) {
    appendText(column, value.map { "\($0)" } ?? "NULL")
  }

  mutating func append(_ column: Int, _ value: Double?) {
    appendText(column, value.map { "\($0)" } ?? "NULL")
  }

  /// Appends a text; control characters, which PostgreSQL may reject, become spaces.
  mutating func append(_ column: Int, _ value: String?) {
    guard let value else { return appendText(column, "NULL") }
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\0"..<" ": text += " "
      default: text.unicodeScalars.append(scalar)
      }
    }
    appendText(column, text + "\"")
  }

  private mutating func appendText(_ column: Int, _ text: String) {
    if columns[column].utf8.count > 1 { columns[column] += "," }
    columns[column] += text
  }
}
