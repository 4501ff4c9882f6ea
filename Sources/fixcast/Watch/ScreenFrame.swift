// SPDX-License-Identifier: Apache-2.0

import Plugins

/// The content of the screen, and the bytes that change the content.
///
/// To avoid flicker, overwrites only changed lines and does not clear the screen.
struct ScreenFrame: Equatable {
  /// Switches to the alternate screen and hides the cursor.
  static let enter = "\u{1B}[?1049h\u{1B}[?25l"
  /// Switches back to the normal screen, shows the cursor and resets colours.
  static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  private var shown: [String]?
  private var columns = 0

  /// Forgets the content, so that the next frame redraws all lines.
  mutating func forget() { shown = nil }

  /// Returns the bytes that replace the content with new lines.
  mutating func bytes(showing lines: [String], columns: Int) -> [UInt8] {
    if columns != self.columns { forget() }
    self.columns = columns
    let before = shown
    shown = lines
    var text = ""
    for (index, line) in lines.enumerated() {
      if let before, index < before.count, before[index] == line { continue }
      text += "\u{1B}[\(index + 1);1H" + line
      // At full width, erasing to the end of the line would erase the last character.
      if Self.columns(of: line) < columns { text += "\u{1B}[K" }
    }
    if before.map({ $0.count > lines.count }) ?? true {
      text += "\u{1B}[\(lines.count + 1);1H\u{1B}[J"
    }
    return Array(text.utf8)
  }

  /// Returns the width of a line without its colour sequences.
  static func columns(of line: String) -> Int {
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
