// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing

@testable import Plugins

@Suite("Lines of an external program")
struct LineSplitterTests {
  @Test func `a program's lines do not depend on the chunks that are read, and overlong lines are dropped`() {
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

  @Test func `a program's log allows a burst of 20 lines, then two per second, and counts suppressed lines`() {
    let notices = EventRecorder<String>()
    let seconds = Mutex<Int64>(0)
    let log = ExecLog(
      name: "exec", now: { MonotonicTime(nanoseconds: seconds.withLock { $0 } * 1_000_000_000) },
      logLine: { notices.record($0) })
    for _ in 0..<25 { log.logRateLimited("line") }
    #expect(notices.events.count == 20)
    seconds.withLock { $0 = 1 }
    for _ in 0..<3 { log.logRateLimited("later") }
    #expect(
      notices.events.dropFirst(20) == [
        "exec: (5 more lines, not shown)", "exec: later", "exec: later",
      ])
  }
}
