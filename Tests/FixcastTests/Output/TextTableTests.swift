// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import fixcast

/// The layout of text tables.
@Suite struct TextTableTests {
  @Test func `a table column is as wide as its widest text, and lines have no trailing spaces`() {
    var table = TextTable()
    table.add(["a", "bbb", "c"], remark: "-> why")
    table.add(["aaa", "b", ""])
    #expect(table.lines == ["a    bbb  c", "  -> why", "aaa  b"])
  }

  @Test func `the last text of a table row does not widen its column`() {
    var table = TextTable()
    table.add(["answer 1", "allow uid=1", "permanent", "by root"])
    table.add(["10-board.conf:1", "a sentence that goes on for as long as it likes"])
    #expect(
      table.lines == [
        "answer 1         allow uid=1  permanent  by root",
        "10-board.conf:1  a sentence that goes on for as long as it likes",
      ])
  }

  @Test func `a table text wider than the maximum shifts only its own row`() {
    var table = TextTable(maxWidth: 6)
    table.add(["a name that is long", "b", "c"])
    table.add(["short", "bbb", "c"])
    #expect(table.lines == ["a name that is long  b    c", "short  bbb  c"])
  }

  @Test func `a wide character occupies two columns in a table`() {
    var table = TextTable()
    table.add(["地図", "b"])
    table.add(["aaaa", "b"])
    #expect(table.lines == ["地図  b", "aaaa  b"])
  }
}
