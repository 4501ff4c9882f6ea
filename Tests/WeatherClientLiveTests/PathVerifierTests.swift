// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import WeatherClientLive

@Suite("Path verifier with a loopback server", .timeLimit(.minutes(5)))
struct PathVerifierTests {
  private func outcome(
    _ script: LoopbackServer.Script, deadline: Duration = .seconds(50)
  ) async -> (PathVerifier.Outcome, requests: [String]) {
    let server = LoopbackServer { _ in script }
    defer { server.stop() }
    let verifier = PathVerifier(url: server.baseURL + "/generate_204", deadline: deadline)
    return (await verifier.verify(), server.requests)
  }

  @Test func `for status 204, the path verifier reports verified after one request that bypasses caches`() async {
    let (outcome, requests) = await outcome(.answer(status: "204 No Content", ""))
    #expect(outcome == .verified)
    #expect(requests.count == 1)
    #expect(requests.first?.hasPrefix("GET /generate_204 ") == true)
    #expect(requests.first?.lowercased().contains("cache-control: no-cache") == true)
  }

  @Test(arguments: [
    ("302 Found", 302), ("200 OK", 200), ("403 Forbidden", 403),
    ("511 Network Authentication Required", 511),
  ])
  func `for status 200, 302, 403 or 511, the path verifier reports a portal and follows no redirect`(
    status: String, code: Int
  ) async {
    let (outcome, requests) = await outcome(
      .answer(status: status, headers: ["Location: /login"], "<html>Welcome</html>"))
    #expect(outcome == .portal(statusCode: code))
    #expect(requests.count == 1)
  }

  @Test func `for status 503, the path verifier reports a dead upstream instead of a portal`() async {
    let (outcome, _) = await outcome(.answer(status: "503 Service Unavailable", ""))
    #expect(outcome == .upstreamDead(cause: "answered 503"))
  }

  @Test func `for a refused connection, by address or by name, the verifier reports a dead upstream`() async throws {
    let port = try ReservedPort()
    defer { port.release() }
    for host in ["127.0.0.1", "localhost"] {
      let verifier = PathVerifier(url: "http://\(host):\(port.number)/", deadline: .seconds(50))
      #expect(await verifier.verify() == .upstreamDead(cause: "Connection refused"))
    }
  }

  @Test func `if the server does not reply before the deadline, the verifier reports a dead upstream`() async {
    let answer = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
    let (outcome, requests) = await outcome(
      LoopbackServer.Script(pieces: [[], answer], pauseMicroseconds: 120_000_000),
      deadline: .seconds(3))
    #expect(outcome == .upstreamDead(cause: "no answer in 3.0 seconds"))
    #expect(requests.count == 1)
  }

  @Test func `for a host name that cannot be resolved, the path verifier reports failing DNS`() async {
    let verifier = PathVerifier(
      url: "http://unknown.host.invalid/", deadline: .milliseconds(500))
    guard case .dnsFailing = await verifier.verify() else {
      Issue.record("the outcome is not dnsFailing")
      return
    }
  }
}
