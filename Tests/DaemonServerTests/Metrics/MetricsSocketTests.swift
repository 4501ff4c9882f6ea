// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import SystemSupport
import Testing

@testable import DaemonServer

@Suite("Metrics on real sockets", .timeLimit(.minutes(2)))
struct MetricsSocketTests {
  private static let nobody: UInt32 = 65_534

  /// Sends a request to the TCP server, and returns the response.
  private func response(_ head: String, port: UInt16, user: UInt32 = 0) async throws -> String {
    let client = try RawClient(port: port, user: user)
    client.send(head + "\r\n\r\n")
    return await client.waitForEnd()
  }

  @Test func `the TCP port serves only the metrics; the Unix socket serves metrics and requests`() async throws {
    let daemon = try await TestDaemon()
    let port = try ReservedPort()
    let address = try #require(ListenAddress("127.0.0.1:\(port.number)"))
    daemon.server.metrics.apply(FeedServer.Settings(addresses: [address]))
    #expect(daemon.server.metrics.status.listening == ["\(address)"])
    let host = "Host: 127.0.0.1:\(port.number)"
    for (head, status) in [
      ("GET /metrics HTTP/1.1\r\n\(host)", 200), ("GET /metrics?a=b HTTP/1.0", 200),
      ("GET /metrics HTTP/1.1\r\nHost: 127.0.0.2:9477", 200),
      ("POST /metrics HTTP/1.1\r\n\(host)\r\nContent-Type: application/json", 405),
      ("GET /v1/status HTTP/1.1\r\n\(host)", 404), ("GET /v1/location HTTP/1.1\r\n\(host)", 404),
      ("GET /v1/events HTTP/1.1\r\n\(host)", 404), ("GET / HTTP/1.1\r\n\(host)", 404),
      ("POST /v1/authorization HTTP/1.1\r\n\(host)\r\nContent-Type: application/json", 404),
      ("GET /metrics HTTP/1.1\r\nHost: board.example.com:9477", 421),
      ("GET /metrics HTTP/1.1\r\n\(host)\r\nOrigin: http://evil.example.com", 403),
      ("GET /metrics", 400),
    ] {
      let text = try await response(head, port: port.number)
      #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(head): \(text)")
      #expect(text.contains("fixcast_clients") == (status == 200), "\(head): \(text)")
    }
    for (target, content) in [("/metrics", "fixcast_clients"), ("/v1/status", "STATUS")] {
      let client = try RawClient(daemon.path)
      client.get(target)
      #expect(await client.waitForEnd().contains(content))
    }
    daemon.server.metrics.apply(FeedServer.Settings())
    #expect(throws: RawClient.Failure.self) { try RawClient(port: port.number) }
    #expect(await daemon.end() == nil)
  }

  @Test(.needsRoot)
  func `a TCP client is identified by its user, and a rule or an answer decides what it gets`() async throws {
    let daemon = try await TestDaemon(policy: "allow uid=1000\n")
    let port = try ReservedPort()
    let address = try #require(ListenAddress("127.0.0.1:\(port.number)"))
    daemon.server.metrics.apply(FeedServer.Settings(addresses: [address]))
    let head = "GET /metrics HTTP/1.1\r\nHost: localhost:\(port.number)"
    #expect(try await response(head, port: port.number, user: 1000).contains("fixcast_clients"))
    try daemon.decide(ClientSelector(userID: 1001), .always)
    #expect(try await response(head, port: port.number, user: 1001).contains("fixcast_clients"))
    let text = try await response(head, port: port.number, user: Self.nobody)
    #expect(text.hasPrefix("HTTP/1.1 200 ") && !text.contains("fixcast_clients"), "\(text)")
    #expect(text.contains("# Note: clients without full accuracy"))
    #expect(await daemon.end() == nil)
  }
}
