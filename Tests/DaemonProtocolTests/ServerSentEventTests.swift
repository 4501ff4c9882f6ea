// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import Testing

@Suite("Server-sent events") struct ServerSentEventTests {
  private static func read(_ pieces: [[UInt8]]) throws -> [ServerSentEvent] {
    var parser = ServerSentEventParser()
    var events: [ServerSentEvent] = []
    for piece in pieces { try parser.append(piece) { events.append($0) } }
    return events
  }

  @Test(arguments: [
    ("data: a\n\n", ["a"]), ("data: a\r\n\r\n", ["a"]), ("data: a\r\rdata: b\r\r", ["a", "b"]),
    ("data:a\ndata:  b\n\n", ["a\n b"]), (": a comment\n\ndata: c\n\n", ["c"]),
    ("id: 7\nretry: 5\nunknown\ndata\n\n", [""]), ("event: x\n\n", []), ("data: unended\n", []),
    ("\u{FEFF}data: a\n\n", ["a"]), ("data: é\n\n", ["é"]),
  ])
  func `the server-sent event parser accepts all line ends, and ignores comments and unknown fields`(
    text: String, expected: [String]
  ) throws {
    let whole = try Self.read([Array(text.utf8)])
    #expect(whole.map { String(decoding: $0.data, as: UTF8.self) } == expected)
    #expect(try Self.read(text.utf8.map { [$0] }) == whole)
  }

  @Test func `the type of a server-sent event does not apply to the next event`() throws {
    let events = try Self.read([Array("event: x\ndata: 1\n\ndata: 2\n\n".utf8)])
    #expect(events.map(\.type) == ["x", "message"])
  }

  @Test func `encoded server-sent events are parsed unchanged from pieces of any size`() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let events = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        ServerSentEvent(
          type: Bool.random(using: &random) ? "TPV" : "message",
          data: (0..<Int.random(in: 0...40, using: &random)).map { _ in
            UInt8.random(in: 0x20...0xFF, using: &random)
          })
      }
      var bytes = events.flatMap(\.bytes)[...]
      var pieces: [[UInt8]] = []
      while !bytes.isEmpty {
        let count = Int.random(in: 1...9, using: &random)
        pieces.append(Array(bytes.prefix(count)))
        bytes = bytes.dropFirst(count)
      }
      #expect(try Self.read(pieces) == events)
    }
  }

  @Test func `random bytes are parsed as server-sent events within the limits, or cause an error`() {
    var random = SeededGenerator(seed: 11)
    let alphabet = Array("data: event:\n\r\n\r:x".utf8) + [0xEF, 0xBB, 0xBF, 0, 0xFF]
    for _ in 0..<2000 {
      var parser = ServerSentEventParser(lineLimitBytes: 16, eventLimitBytes: 24)
      let bytes = (0..<200).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      try? parser.append(bytes) { #expect($0.data.count <= 24) }
    }
  }

  @Test func `a line or a server-sent event that exceeds its limit causes an error`() throws {
    var parser = ServerSentEventParser(lineLimitBytes: 10, eventLimitBytes: 8)
    #expect(throws: ServerSentEventParser.Failure.lineTooLong(limitBytes: 10)) {
      try parser.append(Array("data: 12345".utf8)) { _ in }
    }
    parser = ServerSentEventParser(lineLimitBytes: 10, eventLimitBytes: 8)
    #expect(throws: ServerSentEventParser.Failure.eventTooLarge(limitBytes: 8)) {
      try parser.append(Array("data: 1234\ndata: 1234\n".utf8)) { _ in }
    }
  }

  @Test func `a newline in the type or data of a server-sent event does not inject another event`() throws {
    let event = ServerSentEvent(type: "a\ndata: forged", data: Array("x\r\ndata: y\n\nz".utf8))
    let read = try Self.read([event.bytes])
    #expect(read.count == 1)
    #expect(read.first?.data == Array("x\n\ndata: y\n\nz".utf8))
  }
}
