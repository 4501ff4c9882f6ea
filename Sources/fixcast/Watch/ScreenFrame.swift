// SPDX-License-Identifier: Apache-2.0

import Plugins

/// What a terminal shows, and the bytes that turn it into something else.
///
/// Only lines that differ are written, each over the one before it, and nothing is cleared first:
/// so nothing flickers.
struct ScreenFrame: Equatable {
  /// Another screen than the one with the shell's lines, and no cursor on it.
  static let enter = "\u{1B}[?1049h\u{1B}[?25l"
  /// Both undone, colours and the turning of lines included.
  static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  private var shown: [String]?
  private var columns = 0

  /// Forgets what is shown, after somebody else has written or the size has changed.
  mutating func forget() { shown = nil }

  /// The bytes that show lines instead of what is there.
  mutating func bytes(showing lines: [String], columns: Int) -> [UInt8] {
    if columns != self.columns { forget() }
    self.columns = columns
    let before = shown
    shown = lines
    var text = ""
    for (index, line) in lines.enumerated() {
      if let before, index < before.count, before[index] == line { continue }
      text += "\u{1B}[\(index + 1);1H" + line
      // After the last column this would take the character there away again.
      if Self.columns(of: line) < columns { text += "\u{1B}[K" }
    }
    if before.map({ $0.count > lines.count }) ?? true {
      text += "\u{1B}[\(lines.count + 1);1H\u{1B}[J"
    }
    return Array(text.utf8)
  }

  /// The columns that a line takes, its colours not counted.
  private static func columns(of line: String) -> Int {
    var plain = ""
    var isEscaped = false
    for character in line {
      if character == "\u{1B}" {
        isEscaped = true
      } else if isEscaped {
        isEscaped = character != "m"
      } else {
        plain.append(character)
      }
    }
    return Text.columns(plain)
  }
}
