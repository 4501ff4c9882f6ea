// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization
import Testing

@testable import Daemon

@Suite("Log lines")
struct LogTests {
  @Test(arguments: [
    (
      TextLogHandler.Prefix.timeAndLevel,
      "12:00 notice sources: lost reason=\"no \\\"data\\\"\"\n"
    ),
    (.priority, "<5>sources: lost reason=\"no \\\"data\\\"\"\n"),
  ])
  func `a log event is written as one line with quoted values`(prefix: TextLogHandler.Prefix, line: String) {
    let lines = Mutex("")
    let handler = LinesHandler(prefix: prefix) { text in lines.withLock { $0 += text } }
    handler.logger.notice("lost", metadata: ["reason": "no \"data\""])
    #expect(lines.withLock { $0 } == line)
    handler.logger.notice("a\nb")
    #expect(lines.withLock { $0 }.hasSuffix("sources: a b\n"))
  }

  @Test func `control characters in messages and metadata are logged as visible symbols`() {
    let model = "SW \u{1B}[31mEVIL\u{1B}]0;pwn\u{07}\u{7F}\u{9B}2J\r"
    let shown = "SW ␛[31mEVIL␛]0;pwn␇␡\u{FFFD}2J␍"
    let lines = Mutex("")
    let handler = LinesHandler(prefix: .priority) { text in lines.withLock { $0 += text } }
    handler.logger.notice("has \(model)", metadata: ["model": "\(model)", "list": ["\(model)"]])
    #expect(
      lines.withLock { $0 }.hasPrefix("<5>sources: has \(shown) list="), "\(lines.withLock { $0 })")
    #expect(lines.withLock { $0 }.hasSuffix(" model=\"\(shown)\"\n"))
    #expect(!lines.withLock { $0 }.unicodeScalars.dropLast().contains { $0.value < 0x20 })
  }

  @Test(
    arguments: zip(
      Logger.Level.allCases, [7, 7, 6, 5, 4, 3, 2]))
  func `each log level has its syslog priority`(level: Logger.Level, number: Int) {
    let lines = Mutex("")
    var logger = LinesHandler(prefix: .priority) { text in lines.withLock { $0 += text } }.logger
    logger.logLevel = .trace
    logger.log(level: level, "x")
    #expect(lines.withLock { $0 } == "<\(number)>sources: x\n")
  }

  @Test(arguments: [
    (Optional("8:77"), true, TextLogHandler.Prefix.priority),
    ("8:78", true, .timeAndLevel), ("8", true, .timeAndLevel),
    (nil, true, .timeAndLevel), ("8:77", false, .timeAndLevel),
  ])
  func `log lines begin with a priority only if standard error is the journal's stream`(
    stream: String?, isOpen: Bool, prefix: TextLogHandler.Prefix
  ) {
    let environment = stream.map { ["JOURNAL_STREAM": $0] } ?? [:]
    #expect(
      TextLogHandler.Prefix(
        environment: environment.value, standardError: isOpen ? (8, 77) : nil) == prefix)
  }
}

/// A logger that writes its lines to a closure.
private struct LinesHandler {
  let logger: Logger

  init(prefix: TextLogHandler.Prefix, write: @escaping @Sendable (String) -> Void) {
    logger = Logger(label: "sources") { label in
      TextLogHandler(label: label, prefix: prefix, time: { "12:00" }, write: write)
    }
  }
}
