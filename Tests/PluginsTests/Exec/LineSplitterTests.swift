// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Plugins

@Suite("Lines of a program")
struct LineSplitterTests {
  @Test("lines are the same however the bytes come in, and none is longer than the limit")
  func splits() {
    let text = "one\n\ntwo\r\n1234567890\n12345678901\nand\n123456789012345678901\nlast"
    for size in 1...12 {
      var splitter = LineSplitter(limit: 10)
      var lines: [String] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        lines += splitter.take(rest.prefix(size)).map { String(decoding: $0, as: UTF8.self) }
        rest = rest.dropFirst(size)
      }
      if let line = splitter.finish() { lines.append(String(decoding: line, as: UTF8.self)) }
      #expect(lines == ["one", "", "two", "1234567890", "and", "last"], "in pieces of \(size)")
      #expect(splitter.overlongCount == 2)
    }
  }

  @Test("a log gets so many lines in so long, and is told how many it did not get")
  func budget() {
    var budget = LineBudget(limit: 2, seconds: 10)
    func take(_ second: Int64) -> String {
      let (isTold, suppressed) = budget.take(
        now: MonotonicTime(nanoseconds: second * 1_000_000_000))
      return isTold ? "told after \(suppressed)" : "suppressed"
    }
    #expect(take(0) == "told after 0")
    #expect(take(9) == "told after 0")
    #expect(take(9) == "suppressed")
    #expect(take(9) == "suppressed")
    #expect(take(10) == "told after 2")
    #expect(take(11) == "told after 0")
  }
}
