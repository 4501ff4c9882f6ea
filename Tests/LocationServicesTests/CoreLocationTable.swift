// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The table of Core Location's members in the documentation.
struct CoreLocationTable {
  struct Row {
    /// The name in Core Location; empty for an addition.
    var counterpart: String
    /// The counterparts in Fixcast, as DocC paths.
    var links: [String]
    /// The comparison: same, differs, absent or added, with the reason.
    var verdict: String
  }

  private(set) var rows: [Row] = []

  init(file: String) throws {
    for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    where line.hasPrefix("|") && !line.hasPrefix("|-") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 5 else { throw Malformed(line: String(line)) }
      if cells[1] == "Core Location" { continue }
      // Members of other modules cannot be linked and are written as code: `Location.time`.
      let links = cells[2].replacingOccurrences(of: "``", with: "`").components(separatedBy: "`")
        .enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { Self.path(of: $0.element) }
      rows.append(Row(counterpart: cells[1], links: links, verdict: cells[3]))
    }
  }

  /// Returns the DocC path of a member, such as `Location/time` for `Location.time`.
  private static func path(of code: String) -> String {
    guard let dot = code.firstIndex(of: "."), !code.contains("/") else { return code }
    return code.replacingCharacters(in: dot...dot, with: "/")
  }

  struct Malformed: Error { var line: String }

  /// Returns the row of a declaration; a suffix in the table selects one of several overloads.
  func row(of path: String) -> Row? {
    rows.first { $0.links.contains { $0 == path || $0.hasPrefix(path + "-(") } }
  }

  /// The types in the table.
  var types: Set<String> {
    Set(rows.flatMap(\.links).map { String($0.prefix { $0 != "/" }) })
  }
}
