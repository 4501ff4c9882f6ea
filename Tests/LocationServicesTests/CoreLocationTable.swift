// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The table for those who come from Core Location, as the documentation has it.
struct CoreLocationTable {
  struct Row {
    /// What Core Location calls it; empty where it has no such thing.
    var counterpart: String
    /// What it is here, by docc's paths.
    var links: [String]
    /// Whether it is the same, differs, is absent or added, and why.
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
      // What another module declares cannot be linked and is written as code: `Location.time`.
      let links = cells[2].replacingOccurrences(of: "``", with: "`").components(separatedBy: "`")
        .enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { Self.path(of: $0.element) }
      rows.append(Row(counterpart: cells[1], links: links, verdict: cells[3]))
    }
  }

  /// The docc path of a member, `Location/time` for `Location.time`.
  private static func path(of code: String) -> String {
    guard let dot = code.firstIndex(of: "."), !code.contains("/") else { return code }
    return code.replacingCharacters(in: dot...dot, with: "/")
  }

  struct Malformed: Error { var line: String }

  /// The row of a declaration by its path; which of several that are called alike the table adds.
  func row(of path: String) -> Row? {
    rows.first { $0.links.contains { $0 == path || $0.hasPrefix(path + "-(") } }
  }

  /// The types that it is about.
  var types: Set<String> {
    Set(rows.flatMap(\.links).map { String($0.prefix { $0 != "/" }) })
  }
}
