// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// A row of the live view: label, age and text.
struct WatchRow: Equatable, Sendable {
  /// The priority of a row when not all fit, most important first.
  enum Rank: Int, Comparable, Sendable {
    case fix, position, subject, detail, motion, title, blank

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  static let labelColumns = 10
  static let ageColumns = 10
  static let gapColumns = 2
  /// The terminal width below which a row's text is on a separate line.
  static let narrowColumns = 50
  /// The maximum number of lines of an error text.
  static let maxLines = 3

  var rank: Rank
  /// The label; empty if the row continues the previous row.
  var label = ""
  var age = ""
  var text: String
  var tone = TextStyle.Tone.plain

  /// Returns the row's lines for a terminal width; in a narrow terminal, label and text are on
  /// separate lines.
  func lines(columns: Int, style: TextStyle) -> [String] {
    let text = Text.visible(text)
    guard rank != .title, rank != .blank else { return [line(text, columns, style)] }
    // Errors are wrapped; values are cut, so that rows do not move.
    let limit = tone == .bad ? Self.maxLines : 1
    let texts = Text.wrapped(text, columns: Self.textColumns(columns), lines: limit)
    guard columns < Self.narrowColumns else {
      let head =
        Text.padded(label, Self.labelColumns) + Text.padded(age, Self.ageColumns, right: true)
      let blank = String(repeating: " ", count: Self.labelColumns + Self.ageColumns)
      return texts.enumerated().map { index, text in
        line((index == 0 ? head : blank) + "  " + text, columns, style)
      }
    }
    let head = [label, age].filter { !$0.isEmpty }.joined(separator: " ")
    return (head.isEmpty ? [] : [line(head, columns, style)])
      + texts.filter { !$0.isEmpty }.map { line("  " + $0, columns, style) }
  }

  private func line(_ text: String, _ columns: Int, _ style: TextStyle) -> String {
    var text = Text.cut(text, columns: columns)
    while text.last == " " { text.removeLast() }
    return text.isEmpty ? "" : style.apply(tone, text)
  }

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
