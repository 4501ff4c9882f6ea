// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import fixcast

/// Tables as people read them.
@Suite struct TextTableTests {
  @Test("a column is as wide as its widest text, and there is no blank at an end")
  func aligns() {
    var table = TextTable()
    table.add(["a", "bbb", "c"], remark: "-> why")
    table.add(["aaa", "b", ""])
    #expect(table.lines == ["a    bbb  c", "  -> why", "aaa  b"])
  }

  @Test("what nothing follows makes no column wide")
  func lastTexts() {
    var table = TextTable()
    table.add(["answer 1", "allow uid=1", "for good", "by root"])
    table.add(["10-board.conf:1", "a sentence that goes on for as long as it likes"])
    #expect(
      table.lines == [
        "answer 1         allow uid=1  for good  by root",
        "10-board.conf:1  a sentence that goes on for as long as it likes",
      ])
  }

  @Test("a text wider than a column may be moves its own row alone")
  func longTexts() {
    var table = TextTable(maxWidth: 6)
    table.add(["a name that is long", "b", "c"])
    table.add(["short", "bbb", "c"])
    #expect(table.lines == ["a name that is long  b    c", "short  bbb  c"])
  }

  @Test("a text is as wide as a terminal shows it")
  func wideTexts() {
    var table = TextTable()
    table.add(["地図", "b"])
    table.add(["aaaa", "b"])
    #expect(table.lines == ["地図  b", "aaaa  b"])
  }
}
