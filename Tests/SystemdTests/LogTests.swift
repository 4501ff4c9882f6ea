// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Logging
import Synchronization
import Testing

@testable import Systemd

@Suite("What is logged, and where to")
struct LogTests {
  @Test("the journal gets message, priority and every piece of metadata as a field of its own")
  func fields() throws {
    let folder = try ScratchFolder()
    let journal = DatagramReceiver(at: folder.path + "/socket")
    var logger = journalLogger(journal)
    logger[metadataKey: "device"] = "/dev/ttyACM0"
    logger.warning("receiver lost", metadata: ["after-seconds": "2"])
    let text = try #require(journal.nextText())
    #expect(
      text.hasPrefix("MESSAGE=receiver lost after-seconds=2 device=/dev/ttyACM0\nPRIORITY=4\n"))
    for field in [
      "SYSLOG_IDENTIFIER=fixcast", "FIXCAST_LOGGER=sources", "FIXCAST_DEVICE=/dev/ttyACM0",
      "FIXCAST_AFTER_SECONDS=2", "CODE_FILE=SystemdTests/LogTests.swift",
    ] {
      #expect(text.contains("\n\(field)\n"))
    }
  }

  @Test("a value of several lines is sent by its length, so that it cannot become a field")
  func severalLines() {
    var record = JournalRecord()
    record.append("MESSAGE", "a\nPRIORITY=0")
    #expect(
      record.bytes == Array("MESSAGE\n".utf8) + [12, 0, 0, 0, 0, 0, 0, 0]
        + Array("a\nPRIORITY=0\n".utf8))
  }

  @Test(
    "a field's name is one that the journal takes",
    arguments: [
      ("device", "FIXCAST_DEVICE"), ("_PID", "FIXCAST__PID"), ("größe", "FIXCAST_GR____E"),
      ("", "FIXCAST_"),
      (String(repeating: "x", count: 99), "FIXCAST_" + String(repeating: "X", count: 56)),
    ])
  func names(key: String, name: String) {
    #expect(JournalRecord.fieldName(key) == name)
  }

  @Test("a journal that takes nothing loses lines, not time, and the next line says how many")
  func full() throws {
    let folder = try ScratchFolder()
    let journal = DatagramReceiver(at: folder.path + "/socket", receiveBytes: 4096)
    let logger = journalLogger(journal)
    // A reader that does not read: the queue of a datagram socket holds a few hundred at most.
    for number in 0..<2000 { logger.info("line \(number)") }
    var received = 0
    while journal.next() != nil { received += 1 }
    #expect(received < 2000)
    logger.info("after")
    let text = try #require(journal.nextText())
    #expect(text.contains("\nFIXCAST_LOST=\(2000 - received)\n"))
    logger.info("and on")
    #expect(journal.nextText()?.contains("FIXCAST_LOST") == false)
  }

  @Test("a line longer than a datagram arrives cut, and says so")
  func long() throws {
    let folder = try ScratchFolder()
    let journal = DatagramReceiver(at: folder.path + "/socket")
    journalLogger(journal).error("\(String(repeating: "x", count: 1 << 20))")
    let text = try #require(journal.nextText())
    #expect(text.hasPrefix("MESSAGE=xxx"))
    #expect(text.contains("x (cut)\nPRIORITY=3\n"))
  }

  @Test(
    "people read one line an event, and values that can be told apart",
    arguments: [
      (
        TextLogHandler.Prefix.timeAndLevel,
        "12:00 notice sources: lost reason=\"no \\\"data\\\"\"\n"
      ),
      (.priority, "<5>sources: lost reason=\"no \\\"data\\\"\"\n"),
    ])
  func text(prefix: TextLogHandler.Prefix, line: String) {
    let lines = Mutex("")
    let handler = LinesHandler(prefix: prefix) { text in lines.withLock { $0 += text } }
    handler.logger.notice("lost", metadata: ["reason": "no \"data\""])
    #expect(lines.withLock { $0 } == line)
    handler.logger.notice("a\nb")
    #expect(lines.withLock { $0 }.hasSuffix("sources: a b\n"))
  }

  @Test("what a terminal would obey is a picture in both logs, whoever named it")
  func escapes() throws {
    let model = "SW \u{1B}[31mEVIL\u{1B}]0;pwn\u{07}\u{7F}\u{9B}2J\r"
    let shown = "SW ␛[31mEVIL␛]0;pwn␇␡\u{FFFD}2J␍"
    let lines = Mutex("")
    let handler = LinesHandler(prefix: .priority) { text in lines.withLock { $0 += text } }
    handler.logger.notice("has \(model)", metadata: ["model": "\(model)", "list": ["\(model)"]])
    #expect(
      lines.withLock { $0 }.hasPrefix("<5>sources: has \(shown) list="), "\(lines.withLock { $0 })")
    #expect(lines.withLock { $0 }.hasSuffix(" model=\"\(shown)\"\n"))
    #expect(!lines.withLock { $0 }.unicodeScalars.dropLast().contains { $0.value < 0x20 })

    let folder = try ScratchFolder()
    let journal = DatagramReceiver(at: folder.path + "/socket")
    journalLogger(journal).notice("has \(model)", metadata: ["model": "\(model)"])
    let text = try #require(journal.nextText())
    #expect(text.hasPrefix("MESSAGE=has \(shown) model=\"\(shown)\"\n"))
    #expect(text.contains("\nFIXCAST_MODEL=\(shown)\n"))
  }

  @Test(
    "the journal is written to only where standard error leads there",
    arguments: [
      (Optional("8:77"), true, true, LogDestination.journal),
      ("8:77", true, false, .managedStandardError),
      ("8:78", true, true, .standardError), ("8", true, true, .standardError),
      (nil, true, true, .standardError), ("8:77", false, true, .standardError),
    ])
  func destination(
    stream: String?, isOpen: Bool, isJournalThere: Bool, destination: LogDestination
  ) {
    let environment = stream.map { ["JOURNAL_STREAM": $0] } ?? [:]
    #expect(
      LogDestination(
        environment: environment.value, standardError: isOpen ? (8, 77) : nil,
        isJournalThere: isJournalThere) == destination)
  }

  private func journalLogger(_ journal: DatagramReceiver) -> Logger {
    Logger(label: "sources") { label in
      JournalLogHandler(identifier: "fixcast", label: label, address: journal.path)
    }
  }
}

/// A logger whose lines go to a closure.
private struct LinesHandler {
  let logger: Logger

  init(prefix: TextLogHandler.Prefix, write: @escaping @Sendable (String) -> Void) {
    logger = Logger(label: "sources") { label in
      TextLogHandler(label: label, prefix: prefix, time: { "12:00" }, write: write)
    }
  }
}
