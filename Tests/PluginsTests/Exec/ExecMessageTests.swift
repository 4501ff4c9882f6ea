// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Plugins

@Suite("Messages of external programs")
struct ExecMessageTests {
  @Test(
    arguments: [
      (#"{"class":"HELLO","protocol":1,"name":"x"}"#, .hello(version: 1)),
      (#"{"id":7,"class":"ENRICHED"}"#, .enriched(id: 7, data: nil)),
      (
        #"{"class":"ENRICHED","id":7,"data":{"a":[1,-2.5,"b",true,null]}}"#,
        .enriched(
          id: 7,
          data: .object([
            "a": .list([.integer(1), .number(-2.5), .text("b"), .boolean(true), .null])
          ]))
      ),
      (#"{"class":"ERROR","message":"no"}"#, .error(id: nil, message: "no")),
      (#"{"class":"ERROR","id":3}"#, .error(id: 3, message: "")),
      (
        #"{"class":"ERROR","message":"busy","retryAfter":90}"#,
        .error(id: nil, message: "busy", retryAfterSeconds: 90)
      ),
      (
        #"{"class":"ERROR","retryAfter":-1}"#, .error(id: nil, message: "", retryAfterSeconds: 0)
      ),
      (
        #"{"class":"ERROR","retryAfter":1e300}"#,
        .error(id: nil, message: "", retryAfterSeconds: 86_400)
      ),
      (#"{"class":"LATER"}"#, .other(name: "LATER")),
    ] as [(String, ExecMessage)])
  func `messages of programs are parsed, and unknown fields are ignored`(line: String, expected: ExecMessage) {
    #expect(ExecMessage(Array(line.utf8)) == expected)
  }

  @Test(arguments: [
    "", "hello", "{}", "[]", "3", #"{"class":1}"#, #"{"class":"HELLO"}"#,
    #"{"class":"HELLO","protocol":"1"}"#, #"{"class":"ENRICHED","data":1}"#,
    #"{"class":"ENRICHED","id":-1}"#, #"{"class":"HELLO","protocol":1"#,
    String(repeating: "[", count: 60_000),
    #"{"class":"ENRICHED","id":1,"data":"#
      + String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000) + "}",
  ])
  func `an invalid line of a program is not a message`(_ line: String) {
    #expect(ExecMessage(Array(line.utf8)) == nil)
  }

  @Test func `a message with a source is treated as an echo if the program may echo its input`() {
    let echoedError = Array(#"{"class":"ERROR","message":"b","source":"a"}"#.utf8)
    #expect(ExecMessage(echoedError) == .error(id: nil, message: "b"))
    #expect(ExecMessage(echoedError, mayEcho: true) == .other(name: "ERROR"))
    let ownError = Array(#"{"class":"ERROR","message":"b"}"#.utf8)
    #expect(ExecMessage(ownError, mayEcho: true) == .error(id: nil, message: "b"))
    let echoedData = Array(#"{"class":"ENRICHED","source":"a","lat":1,"lon":2,"data":3}"#.utf8)
    #expect(ExecMessage(echoedData) == nil)
    #expect(ExecMessage(echoedData, mayEcho: true) == .other(name: "ENRICHED"))
    let reply = Array(#"{"class":"ENRICHED","source":"a","id":7}"#.utf8)
    #expect(ExecMessage(reply, mayEcho: true) == .enriched(id: 7, data: nil))
  }

  @Test func `data from a program is forwarded on one line`() {
    let line = #"{"class":"ENRICHED","id":1,"data":{"b":"x\ny","a":{"c":1.5,"d":[]}}}"#
    guard case .enriched(_, let data?) = ExecMessage(Array(line.utf8)) else {
      Issue.record("the message was not parsed")
      return
    }
    #expect(
      data.line.map { String(decoding: $0, as: UTF8.self) }
        == #"{"a":{"c":1.5,"d":[]},"b":"x\ny"}"#)
  }
}
