// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// A row of the live view: label, age and text.
struct WatchRow: Equatable, Sendable {
  /// The priority of a row when not all rows fit, most important first.
  ///
  /// `subject` is the first row of a section; `detail` and `motion` are further rows. `requested`
  /// is a row that the user asked for with a key.
  enum Rank: Int, Comparable, Sendable {
    case fix, position, requested, subject, detail, motion, title, blank

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  static let labelColumns = 10
  static let ageColumns = 10
  static let gapColumns = 2
  /// The terminal width below which a row's text has no column of its own.
  static let narrowColumns = 50
  /// The maximum number of lines of an error text.
  static let maxLines = 3

  var rank: Rank
  /// The label; empty if the row continues the previous row.
  var label = ""
  var age = ""
  var text: String
  var tone = TextStyle.Tone.plain
  /// Whether the text begins in the first column.
  var isFullWidth = false
  /// Whether the row is above the satellites.
  var isAboveSatellites = false
  /// The number of rows below this row that were removed.
  var moreCount = 0

  /// Whether the row may show the number of removed rows.
  var isCountable: Bool { rank != .title && rank != .blank }

  /// Returns the row's lines for a terminal width.
  ///
  /// In a narrow terminal, label and text are on one line if they fit.
  func lines(columns: Int, style: TextStyle) -> [String] {
    let text = Text.visible(text)
    guard isCountable else { return [line(text, columns, style)] }
    if isFullWidth { return [line(text, columns, style, more: moreCount)] }
    let isNarrow = columns < Self.narrowColumns
    var texts = wrapped(text, columns: Self.textColumns(columns), isNarrow: isNarrow)
    guard isNarrow else {
      let head =
        Text.padded(label, Self.labelColumns) + Text.padded(age, Self.ageColumns, right: true)
      let blank = String(repeating: " ", count: Self.labelColumns + Self.ageColumns)
      return texts.enumerated().map { index, text in
        line(
          (index == 0 ? head : blank) + "  " + text, columns, style,
          more: index == texts.count - 1 ? moreCount : 0)
      }
    }
    let head = [label, age].filter { !$0.isEmpty }.joined(separator: " ")
    // The first row of a section shows only its first value if the others need a second line.
    if rank == .subject, tone != .bad, Text.columns(head + "  " + text) > columns,
      let first = text.split(separator: "   ").first, first.count < text.count
    {
      texts = [Text.cut(first + " …", columns: columns - 2)]
    }
    if texts.count == 1, !head.isEmpty {
      let whole = head + "  " + texts[0]
      if Text.columns(whole) + Self.moreColumns(moreCount) <= columns {
        return [line(whole, columns, style, more: moreCount)]
      }
    }
    return (head.isEmpty ? [] : [line(head, columns, style)])
      + texts.enumerated().filter { !$0.element.isEmpty }.map { index, text in
        line("  " + text, columns, style, more: index == texts.count - 1 ? moreCount : 0)
      }
  }

  /// Returns the lines of the text.
  ///
  /// Errors are wrapped at blanks. In a narrow terminal, and for rows that the user asked for,
  /// values are wrapped where three blanks separate them. Other values are cut, so that rows do not
  /// move.
  private func wrapped(_ text: String, columns: Int, isNarrow: Bool) -> [String] {
    if tone == .bad { return Text.wrapped(text, columns: columns, lines: Self.maxLines) }
    guard isNarrow || rank == .requested, Text.columns(text) > columns else {
      return [Text.cut(text, columns: columns)]
    }
    var lines: [String] = []
    for part in text.split(separator: "   ", omittingEmptySubsequences: true) {
      let part = part.drop { $0 == " " }
      if let last = lines.last, Text.columns(last) + 2 + Text.columns(String(part)) <= columns {
        lines[lines.count - 1] = last + "  " + part
      } else if lines.count < Self.maxLines {
        lines.append(Text.cut(String(part), columns: columns))
      } else {
        lines[lines.count - 1] = Text.cut(lines[lines.count - 1] + "  …", columns: columns)
        break
      }
    }
    return lines.isEmpty ? [""] : lines
  }

  private func line(
    _ text: String, _ columns: Int, _ style: TextStyle, more: Int = 0
  ) -> String {
    var text = Text.cut(text, columns: max(columns - Self.moreColumns(more), 0))
    while text.last == " " { text.removeLast() }
    if more > 0 { text = Text.cut(text + Self.moreText(more), columns: columns) }
    return text.isEmpty ? "" : style.apply(tone, text)
  }

  private static func moreText(_ count: Int) -> String { count > 0 ? "  +\(count) more" : "" }

  private static func moreColumns(_ count: Int) -> Int { Text.columns(moreText(count)) }

  /// Returns the width of a row's text.
  static func textColumns(_ columns: Int) -> Int {
    columns < narrowColumns ? columns - 2 : columns - labelColumns - ageColumns - gapColumns
  }

  /// Formats an age: `0.3 s`, `12 s`, `5 min`, `3 h`, `2 d`.
  static func age(_ seconds: Double) -> String {
    let seconds = max(seconds, 0)
    return switch seconds {
    case ..<9.95: Text.fixed(seconds, 1) + " s"
    case ..<120: "\(Int(seconds)) s"
    case ..<7200: "\(Int(seconds / 60)) min"
    case ..<172_800: "\(Int(seconds / 3600)) h"
    case ..<8.64e9: "\(Int(seconds / 86_400)) d"
    default: "very old"
    }
  }
}

/// A section of the live view.
protocol WatchSection {
  var state: WatchState { get }
  /// The current monotonic time, from which ages are computed.
  var now: MonotonicTime { get }
  var rows: [WatchRow] { get }
}

extension WatchSection {
  /// Formats the age of a time, marked as old beyond the limit in seconds.
  func age(_ since: MonotonicTime, oldAfter limit: Double? = nil) -> String {
    let seconds = now.seconds(since: since)
    let isOld = limit.map { seconds > $0 } ?? false
    return (isOld ? "old " : "") + WatchRow.age(seconds)
  }
}
