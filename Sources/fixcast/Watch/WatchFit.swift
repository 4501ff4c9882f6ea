// SPDX-License-Identifier: Apache-2.0

import Plugins

/// Selects the rows of the live view that fit into a number of lines.
///
/// Removes blank rows first, then the least important rows, except the position. The row above
/// removed rows shows their number.
struct WatchFit: Sendable {
  private(set) var rows: [WatchRow]
  private let columns: Int
  private let style: TextStyle

  init(_ rows: [WatchRow], columns: Int, style: TextStyle) {
    self.rows = rows
    self.columns = columns
    self.style = style
  }

  /// The number of lines of all rows.
  var lineCount: Int { rows.reduce(0) { $0 + lines($1).count } }

  /// The lines of a row.
  func lines(_ row: WatchRow) -> [String] { row.lines(columns: columns, style: style) }

  /// Removes blank rows until `limit` lines remain, or until there are no more blank rows.
  mutating func removeBlanks(toFit limit: Int) {
    while lineCount > limit, let blank = rows.lastIndex(where: { $0.rank == .blank }) {
      rows.remove(at: blank)
    }
  }

  /// Removes rows until `limit` lines remain, or until only the position remains.
  mutating func remove(toFit limit: Int) {
    removeBlanks(toFit: limit)
    while lineCount > limit, let least = rows.map(\.rank).max(), least > .position,
      let index = rows.lastIndex(where: { $0.rank == least })
    {
      let removed = rows.remove(at: index)
      guard removed.rank != .title, let above = rows[..<index].lastIndex(where: \.isCountable)
      else {
        continue
      }
      rows[above].moreCount += removed.moreCount + 1
    }
  }

  /// Adds rows at the end while they fit into `limit` lines, after a blank row.
  mutating func append(_ added: [WatchRow], toFit limit: Int) {
    var fitted = self
    fitted.rows.append(WatchRow(rank: .blank, text: ""))
    for (index, row) in added.enumerated() {
      guard fitted.lineCount + lines(row).count <= limit else {
        guard index > 0 else { return }
        fitted.rows[fitted.rows.count - 1].moreCount += added.count - index
        break
      }
      fitted.rows.append(row)
    }
    if !added.isEmpty { self = fitted }
  }
}
