// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import WeatherClientLive

@Suite("Path verifier over a real server", .timeLimit(.minutes(5)))
struct PathVerifierTests {
  private func outcome(
    _ script: LoopbackServer.Script, deadline: Duration = .seconds(50)
  ) async -> (PathVerifier.Outcome, requests: [String]) {
    let server = LoopbackServer { _ in script }
    defer { server.stop() }
    let verifier = PathVerifier(url: server.baseURL + "/generate_204", deadline: deadline)
    return (await verifier.verify(), server.requests)
  }

  @Test("an empty answer as agreed is a way out, and is asked for once, past any cache")
  func verified() async {
    let (outcome, requests) = await outcome(.answer(status: "204 No Content", ""))
    #expect(outcome == .verified)
    #expect(requests.count == 1)
    #expect(requests.first?.hasPrefix("GET /generate_204 ") == true)
    #expect(requests.first?.lowercased().contains("cache-control: no-cache") == true)
  }

  @Test(
    "any other answer is a portal's, and where it leads to is not followed",
    arguments: [
      ("302 Found", 302), ("200 OK", 200), ("403 Forbidden", 403),
      ("511 Network Authentication Required", 511),
    ])
  func portal(status: String, code: Int) async {
    let (outcome, requests) = await outcome(
      .answer(status: status, headers: ["Location: /login"], "<html>Welcome</html>"))
    #expect(outcome == .portal(statusCode: code))
    #expect(requests.count == 1)
  }

  @Test("a server that is ill is no portal")
  func ill() async {
    let (outcome, _) = await outcome(.answer(status: "503 Service Unavailable", ""))
    #expect(outcome == .upstreamDead(cause: "answered 503"))
  }

  @Test("a stopped server is a dead end, by its address and by its name")
  func stopped() async throws {
    let port = try ReservedPort()
    defer { port.release() }
    for host in ["127.0.0.1", "localhost"] {
      let verifier = PathVerifier(url: "http://\(host):\(port.number)/", deadline: .seconds(50))
      #expect(await verifier.verify() == .upstreamDead(cause: "Connection refused"))
    }
  }

  @Test("a server that takes its time is a dead end when the deadline has come")
  func slow() async {
    let answer = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
    let (outcome, requests) = await outcome(
      LoopbackServer.Script(pieces: [[], answer], pauseMicroseconds: 120_000_000),
      deadline: .seconds(3))
    #expect(outcome == .upstreamDead(cause: "no answer in 3.0 seconds"))
    #expect(requests.count == 1)
  }

  @Test("a name that nobody knows, or nobody answers for, is DNS failing")
  func names() async {
    let verifier = PathVerifier(
      url: "http://nobody.knows.invalid/", deadline: .milliseconds(500))
    guard case .dnsFailing = await verifier.verify() else {
      Issue.record("not failing")
      return
    }
  }
}
