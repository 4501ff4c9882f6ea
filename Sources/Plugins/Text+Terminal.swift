// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// Texts from outside on a terminal: nothing in them acts, and their width is known.
extension Text {
  /// A text with a picture in place of each character that a terminal would obey.
  package static func visible(_ text: String, keepingNewlines: Bool = false) -> String {
    TerminalText.visible(text, keepingNewlines: keepingNewlines)
  }

  /// How many columns of a terminal a text takes, at least one a character.
  package static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

  /// The beginning of a text that fits into so many columns, its end marked where it is cut.
  package static func cut(_ text: String, columns limit: Int) -> String {
    guard columns(text) > limit else { return text }
    guard limit > 0 else { return "" }
    var (used, shown) = (0, "")
    for character in text {
      used += columns(character)
      guard used < limit else { break }
      shown.append(character)
    }
    return shown + "…"
  }

  /// A text in lines of so many columns, broken at blanks; what is beyond the last is cut.
  ///
  /// - Returns: At least one line.
  package static func wrapped(_ text: String, columns limit: Int, lines most: Int) -> [String] {
    var lines: [String] = []
    var rest = text[...]
    while lines.count + 1 < most, columns(String(rest)) > limit {
      var (used, end, blank) = (0, rest.startIndex, rest.startIndex)
      while end < rest.endIndex, used + columns(rest[end]) <= limit {
        used += columns(rest[end])
        if rest[end] == " " { blank = end }
        end = rest.index(after: end)
      }
      // A blank right behind the line is as good as one in it.
      if end < rest.endIndex, rest[end] == " " { blank = end }
      guard blank > rest.startIndex else { break }
      lines.append(String(rest[..<blank]))
      rest = rest[blank...].drop { $0 == " " }
    }
    return lines + [cut(String(rest), columns: limit)]
  }

  /// Two where East Asian scripts and pictographs are written, by the blocks they lie in.
  private static func columns(_ character: Character) -> Int {
    character.unicodeScalars.contains { scalar in
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE0F, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F1E6...0x1F1FF, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
        true
      default: scalar.properties.isEmojiPresentation
      }
    } ? 2 : 1
  }
}
