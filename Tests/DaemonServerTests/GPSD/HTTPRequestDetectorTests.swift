// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DaemonServer

@Suite("HTTP requests on the port of gpsd") struct HTTPRequestDetectorTests {
  @Test(arguments: [
    "GET / HTTP/1.1\r\n", "POST /", "CONNECT a:1", "get /", "PRI * HTTP/2.0",
    "M-SEARCH * HTTP/1.1", "VERSION-CONTROL /",
  ])
  func `letters and a space at the beginning are an HTTP request`(text: String) {
    var whole = HTTPRequestDetector()
    let isDetected = whole.detects(text.utf8)
    var pieces = HTTPRequestDetector()
    let isDetectedInPieces = text.utf8.contains { pieces.detects([$0]) }
    #expect(isDetected && isDetectedInPieces)
  }

  @Test(arguments: [
    #"?WATCH={"enable":true,"json":true}"#, "?POLL;\n?GET ;", "\r\n?VERSION;", " GET /", "w+\n",
    "", "SPAMQ\n", "ABCDEFGHIJKLMNOPQRSTU ", "GET", "{GET ", "\u{16}\u{3}\u{1}GET ",
  ])
  func `the requests of gpsd clients are no HTTP requests`(text: String) {
    var detector = HTTPRequestDetector()
    let isDetected = text.utf8.contains { detector.detects([$0]) }
    #expect(!isDetected)
  }
}
