// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Plugins

@Suite("Texts on a terminal")
struct TextTests {
  @Test(
    "what a terminal would obey is shown instead",
    arguments: [
      ("u-blox 7, 21.0° ±1 m", "u-blox 7, 21.0° ±1 m"), ("Zürich 東京 😀", "Zürich 東京 😀"),
      ("\u{1B}[2J", "␛[2J"), ("a\r\nb\tc\0", "a␍␊b␉c␀"), ("\u{7F}", "␡"),
      ("\u{9B}2J\u{85}", "\u{FFFD}2J\u{FFFD}"), ("a\u{202E}b\u{2028}", "a\u{FFFD}b\u{FFFD}"),
    ])
  func visible(text: String, shown: String) {
    #expect(Text.visible(text) == shown)
  }

  @Test(
    "is cut to columns, and says so",
    arguments: [
      ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 1, "…"), ("abc", 0, ""), ("", 0, ""),
      ("東京", 4, "東京"), ("東京都", 5, "東京…"), ("東京都", 4, "東…"), ("e\u{301}e", 2, "e\u{301}e"),
    ])
  func cut(text: String, columns: Int, shown: String) {
    #expect(Text.cut(text, columns: columns) == shown)
    #expect(Text.columns(shown) <= columns)
  }
}
