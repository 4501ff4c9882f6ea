// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Plugins

@Suite("Texts on a terminal")
struct TextTests {
  @Test(arguments: [
    ("u-blox 7, 21.0° ±1 m", "u-blox 7, 21.0° ±1 m"), ("Zürich 東京 😀", "Zürich 東京 😀"),
    ("\u{1B}[2J", "␛[2J"), ("a\r\nb\tc\0", "a␍␊b␉c␀"), ("\u{7F}", "␡"),
    ("\u{9B}2J\u{85}", "\u{FFFD}2J\u{FFFD}"), ("a\u{202E}b\u{2028}", "a\u{FFFD}b\u{FFFD}"),
  ])
  func `control characters are replaced by visible symbols`(text: String, shown: String) {
    #expect(Text.visible(text) == shown)
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 1, "…"), ("abc", 0, ""), ("", 0, ""),
    ("東京", 4, "東京"), ("東京都", 5, "東京…"), ("東京都", 4, "東…"), ("e\u{301}e", 2, "e\u{301}e"),
  ])
  func `a long text is cut to the column limit, with an ellipsis`(text: String, columns: Int, shown: String) {
    #expect(Text.cut(text, columns: columns) == shown)
    #expect(Text.columns(shown) <= columns)
  }

  @Test(arguments: [
    ("ab cd ef", 5, 3, ["ab cd", "ef"]), ("ab cd ef", 4, 3, ["ab", "cd", "ef"]),
    ("ab cd ef", 4, 2, ["ab", "cd …"]), ("abcdef gh", 4, 3, ["abc…"]), ("", 4, 3, [""]),
    ("ab cd", 5, 1, ["ab cd"]), ("東京 都", 4, 2, ["東京", "都"]), ("ab", 0, 2, [""]),
    (" ab cd", 3, 3, [" ab", "cd"]),
  ])
  func `a long text is wrapped at blanks, and the last line is cut`(
    text: String, columns: Int, limit: Int, lines: [String]
  ) {
    #expect(Text.wrapped(text, columns: columns, lines: limit) == lines)
  }
}
