// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import DaemonServer

/// Tests refused clients that are still sending their request.
@Suite("Refused clients", .serialized, .timeLimit(.minutes(2)), .needsRoot)
struct ServerRefusalTests {
  private static func daemon(lingerSeconds: Double) async throws -> (TestDaemon, RawClient) {
    var limits = ServerLimits()
    limits.connections = 1
    limits.reservedConnections = 0
    limits.lingeringRefusals = 1
    limits.lingerSeconds = lingerSeconds
    let daemon = try await TestDaemon(limits: limits)
    let admitted = try RawClient(daemon.path)
    admitted.get("/v1/events?purpose=test")
    await admitted.wait(for: "AUTH")
    return (daemon, admitted)
  }

  @Test func `a limited number of refused clients can finish sending and read the reason`() async throws {
    let (daemon, admitted) = try await Self.daemon(lingerSeconds: 3000)
    let request = "GET /v1/status HTTP/1.1\r\nHost: fixcast\r\n\r\n"
    // Each client takes the only linger slot, and releases it when it disconnects.
    for _ in 0..<3 {
      let client = try RawClient(daemon.path)
      #expect(await client.waitForEnd().hasPrefix("HTTP/1.1 503 "))
      #expect(client.send(request) == request.utf8.count)
      let beyondLimit = try RawClient(daemon.path)
      #expect(await beyondLimit.waitForEnd().hasPrefix("HTTP/1.1 503 "))
      #expect(beyondLimit.send(request) == 0)
      client.endSending()
      await client.waitForHangUp()
    }
    #expect(await daemon.end() == nil)
    withExtendedLifetime(admitted) {}
  }

  @Test func `a refused client that stays connected is disconnected after the linger time`() async throws {
    let (daemon, admitted) = try await Self.daemon(lingerSeconds: 0.01)
    for _ in 0..<3 {
      let client = try RawClient(daemon.path)
      #expect(await client.waitForEnd().hasPrefix("HTTP/1.1 503 "))
      await client.waitForHangUp()
      #expect(client.send("GET ") == 0)
    }
    #expect(await daemon.end() == nil)
    withExtendedLifetime(admitted) {}
  }

  @Test func `a user who connects too often is refused with the reason, and other users are served`() async throws {
    var limits = ServerLimits()
    (limits.connectionBurst, limits.connectionsPerSecond) = (2, 0)
    let daemon = try await TestDaemon(limits: limits)
    var answers: [String] = []
    for user in [1, 1, 1, 1, 2, 0] as [UInt32] {
      let client = try RawClient(daemon.path, user: user)
      client.get("/v1/status")
      answers.append(String(await client.waitForEnd().prefix(12)))
    }
    #expect(answers == ["200", "200", "429", "429", "200", "200"].map { "HTTP/1.1 " + $0 }, "\(answers)")
    #expect(daemon.server.refusedCount == 2)
    #expect(await daemon.end() == nil)
  }
}
