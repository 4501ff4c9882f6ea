// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import DaemonServer

@Suite struct GPSDRequestScannerTests {
  private func scan(_ chunks: [String]) -> [String] {
    var scanner = GPSDRequestScanner()
    return chunks.flatMap { chunk in
      var input = Array(chunk.utf8)[...]
      var found: [String] = []
      while let element = scanner.next(from: &input) {
        switch element {
        case .request(let bytes): found.append(String(decoding: bytes, as: UTF8.self))
        case .tooLong: found.append("too long")
        }
      }
      return found
    }
  }

  @Test(arguments: [
    (["?VERSION;"], ["?VERSION"]),
    (["?POLL;\n?DEVICES\r\n"], ["?POLL", "?DEVICES"]),
    // gps3 and OpenCPN send no terminator.
    ([#"?WATCH={"enable":true}"#], [#"?WATCH={"enable":true}"#]),
    ([#"?WATCH={"a":"};\"{"};?POLL;"#], [#"?WATCH={"a":"};\"{"}"#, "?POLL"]),
    ([#"?WATCH={"a":{"b":[{}]}}?POLL;"#], [#"?WATCH={"a":{"b":[{}]}}"#, "?POLL"]),
    (["?WATCH = {\n\"enable\": true\n} ; \r\n"], ["?WATCH = {\n\"enable\": true\n}"]),
    (["?WA", "TCH={\"ena", "ble\":true", "}"], [#"?WATCH={"enable":true}"#]),
    ([";; \r\n GET / HTTP/1.1\r\n?POLL;"], ["?POLL"]),
    // An argument that is not complete ends at a byte that cannot belong to it.
    ([#"?WATCH={"a":1;?POLL;"#], [#"?WATCH={"a":1"#, "?POLL"]),
    ([#"?WATCH={"a":1?POLL;"#], [#"?WATCH={"a":1"#, "?POLL"]),
    (["?WATCH={\"a\n?POLL;"], [#"?WATCH={"a"#, "?POLL"]),
    (["?POLL"], []),
  ])
  func `requests end where their JSON object closes, or at a terminator`(
    chunks: [String], expected: [String]
  ) {
    #expect(scan(chunks) == expected)
  }

  @Test func `a request of more than 4 KiB is reported once and skipped up to its end`() {
    let long = #"?WATCH={"device":""# + String(repeating: "x", count: 8000) + #""};?POLL;"#
    #expect(scan([long]) == ["too long", "?POLL"])
    let longest = "?" + String(repeating: "x", count: GPSDRequestScanner.maxBytes - 1)
    #expect(scan([longest + ";"]) == [longest])
    #expect(scan([longest + "y;"]) == ["too long"])
  }

  @Test func `an argument that is nested too deeply is ended`() {
    let brackets = String(repeating: "[", count: 4000)
    let found = scan([#"?WATCH={"a":"# + brackets + ";?POLL;"])
    #expect(found.count == 2 && found.last == "?POLL")
    #expect((found.first?.utf8.count ?? 0) < 40)
  }

  @Test func `random requests have the same result in one piece and in pieces`() {
    var generator = SeededGenerator(seed: 1)
    let alphabet = Array("?WATCH={}[]\"\\;\r\n :,truefalse0".utf8)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
        Bool.random(using: &generator)
          ? alphabet.randomElement(using: &generator) ?? 0
          : UInt8.random(in: .min ... .max, using: &generator)
      }
      let input = Array("?W={".utf8) + bytes
      #expect(elements([input]) == elements(input.map { [$0] }), "\(input)")
    }
  }

  private func elements(_ chunks: [[UInt8]]) -> [GPSDRequestScanner.Element] {
    var scanner = GPSDRequestScanner()
    return chunks.flatMap { chunk in
      var input = chunk[...]
      var found: [GPSDRequestScanner.Element] = []
      while let element = scanner.next(from: &input) { found.append(element) }
      return found
    }
  }
}
