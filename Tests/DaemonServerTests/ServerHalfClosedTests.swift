// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Testing

@testable import DaemonServer

/// Tests clients that close their sending side after the request, as `nc -N` and `socat` do.
@Suite("Half-closed connections", .serialized, .timeLimit(.minutes(2)), .needsRoot)
struct ServerHalfClosedTests {
  private static let user: UInt32 = 1

  @Test func `a half-closed connection gets its response, even if the response is delayed`() async throws {
    let daemon = try await TestDaemon(policy: "allow uid=1\n")
    let status = try RawClient(daemon.path, user: Self.user)
    status.get("/v1/status")
    status.endSending()
    #expect(await status.waitForEnd().hasPrefix("HTTP/1.1 200 "))
    let locating = try RawClient(daemon.path, user: Self.user)
    locating.get("/v1/location?purpose=test")
    locating.endSending()
    await daemon.waitForLog(#""started""#)
    daemon.publishFix()
    #expect(await locating.waitForEnd().contains(TestDaemon.latitude))
    #expect(await daemon.end() == nil)
  }

  @Test func `a stream continues on a half-closed connection until the client disconnects`() async throws {
    let daemon = try await TestDaemon(policy: "allow uid=1\n")
    let client = try RawClient(daemon.path, user: Self.user)
    client.get("/v1/events?purpose=test")
    client.endSending()
    await client.wait(for: "authorized")
    for latitude in [20.5, 30.5, 40.5] {
      daemon.publishFix(latitude: latitude)
      await client.wait(for: "\(latitude)00000000")
    }
    client.hangUp()
    // The kernel reports the disconnection before the new connection.
    let status = try RawClient(daemon.path)
    status.get("/v1/status")
    #expect(await status.waitForEnd().contains(#""connections":1"#), "\(status.text)")
    #expect(await daemon.end() == nil)
  }

  @Test(arguments: [
    ("GET /v1/events HTTP/1.1\r\nHost: fixcast\r\n", "HTTP/1.1 400 "), ("GET", "HTTP/1.1 400 "),
    ("\r\n", "HTTP/1.1 400 "),
    ("POST /v1/authorization HTTP/1.1\r\nContent-Length: 9\r\n\r\n{", "HTTP/1.1 400 "),
    ("", ""),
  ])
  func `a half-close causes an error response only if the server has received a part of a request`(
    request: String, answer: String
  ) async throws {
    let daemon = try await TestDaemon()
    let client = try RawClient(daemon.path, user: Self.user)
    client.send(request)
    client.endSending()
    #expect(await client.waitForEnd().prefix(13) == answer)
    #expect(await daemon.end() == nil)
  }
}
