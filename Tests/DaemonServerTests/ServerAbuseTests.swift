// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

/// Tests that hostile clients do not disturb an allowed client.
@Suite("Hostile clients", .serialized, .timeLimit(.minutes(5)), .needsRoot)
struct ServerAbuseTests {
  private static let allowed: UInt32 = 1
  private static let hostile: UInt32 = 65_534

  private static func daemon(limits: ServerLimits = TestDaemon.patientLimits) async throws -> (TestDaemon, RawClient) {
    let daemon = try await TestDaemon(policy: "deny uid=65534\n", limits: limits)
    try daemon.decide(ClientSelector(userID: allowed), .always)
    let client = try RawClient(daemon.path, user: allowed)
    client.get("/v1/events")
    daemon.publishFix()
    await client.wait(for: "event: TPV")
    return (daemon, client)
  }

  /// Publishes a hundred positions in bursts of ten, `times` times, and expects that the allowed
  /// client gets all positions.
  private static func expectAllPositions(_ daemon: TestDaemon, _ client: RawClient, times: Int = 1) async {
    // Wait for this position, so that no position that was published before is still in transit.
    daemon.publishFix(latitude: 19)
    await client.wait(forUnique: Self.text(19))
    let before = client.count("event: TPV")
    for step in 0..<(10 * times) {
      for _ in 0..<9 { daemon.publishFix() }
      // Use a latitude that no other position has.
      daemon.publishFix(latitude: 20 + Double(before + step) / 4096)
      let marker = Double(before + step) / 4096 + 20
      await client.wait(forUnique: Self.text(marker))
    }
    #expect(client.count("event: TPV") == before + 100 * times)
  }

  private static func text(_ latitude: Double) -> String {
    var line = JSONLine()
    line.decimal("lat", latitude, places: 9, trims: false)
    return String(decoding: line.bytes.dropLast(), as: UTF8.self)
  }

  /// The resident memory of this process, in kilobytes.
  ///
  /// The tests that measure it run in processes of their own, since other tests use memory at the same time.
  private static func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = fread(&buffer, 1, buffer.count, file)
    let fields = buffer.prefix(count).split(separator: UInt8(ascii: " "))
    return fields.count > 1 ? (Int(String(decoding: fields[1], as: UTF8.self)) ?? 0) * 4 : 0
  }

  @Test func `the server accepts 32 of one user's 500 connections, and still serves other clients`() async {
    await #expect(processExitsWith: .success) {
      let (daemon, client) = try await ServerAbuseTests.daemon()
      let before = ServerAbuseTests.residentKilobytes()
      var hostile: [RawClient] = []
      for _ in 0..<500 {
        let next = try RawClient(daemon.path, user: ServerAbuseTests.hostile)
        next.get("/v1/events?purpose=flood")
        hostile.append(next)
        if hostile.count % 50 == 0 { daemon.publishFix() }
      }
      for next in hostile { await next.wait(for: "HTTP/1.1") }
      #expect(daemon.server.refusedCount == 468)
      #expect(daemon.server.connectionCount == 33)
      await ServerAbuseTests.expectAllPositions(daemon, client)
      let served = hostile.filter { $0.text.hasPrefix("HTTP/1.1 200") }
      #expect(served.count == 32)
      for next in hostile {
        #expect(next.count("TPV") == 0 && next.count("54.09") == 0 && next.count("PRN") == 0)
      }
      let grown = ServerAbuseTests.residentKilobytes() - before
      #expect(grown < 60_000)
      for next in hostile { next.hangUp() }
      for next in hostile { _ = await next.waitForEnd() }
      #expect(await daemon.end() == nil)
    }
  }

  @Test func `slow readers use bounded memory, and do not delay other clients`() async {
    await #expect(processExitsWith: .success) {
      let (daemon, client) = try await ServerAbuseTests.daemon()
      let slow = try (0..<31).map { _ in
        let next = try RawClient(daemon.path, user: ServerAbuseTests.allowed, isReading: false)
        next.get("/v1/events")
        return next
      }
      let before = ServerAbuseTests.residentKilobytes()
      await ServerAbuseTests.expectAllPositions(daemon, client, times: 10)
      let grown = ServerAbuseTests.residentKilobytes() - before
      #expect(client.count(#""dropped""#) == 0)
      #expect(grown < 40_000)
      // When a slow client reads at last, it gets the number of dropped objects.
      slow[0].read()
      await slow[0].wait(for: #""dropped":"#)
      #expect(slow[0].count(#""dropped":"#) == 1)
      #expect(await daemon.end() == nil)
    }
  }

  @Test func `an incomplete request times out, and does not delay other clients`() async throws {
    let (daemon, client) = try await Self.daemon(limits: ServerLimits())
    let incomplete = try (0..<32).map { index in
      let next = try RawClient(daemon.path, user: Self.hostile)
      next.send(String("GET /v1/events HTTP/1.1\r\nHost: fixcast\r\n".prefix(index)))
      return next
    }
    await Self.expectAllPositions(daemon, client)
    for next in incomplete {
      let text = await next.waitForEnd()
      #expect(text.hasPrefix("HTTP/1.1 408 "))
      #expect(next.count("54.09") == 0)
    }
    // The event loop closes the last socket in one task and decreases the number of connections in
    // the next task. The client may detect the end during the first task, so wait for both.
    await daemon.server.ping()
    await daemon.server.ping()
    #expect(daemon.server.connectionCount == 1)
    #expect(await daemon.end() == nil)
  }

  @Test func `a request head of 10 MB is refused without being held in memory`() async {
    await #expect(processExitsWith: .success) {
      let (daemon, client) = try await ServerAbuseTests.daemon()
      let before = ServerAbuseTests.residentKilobytes()
      let line = Array("X-A: \(String(repeating: "x", count: 1000))\r\n".utf8)
      for start in ["GET /v1/events HTTP/1.1\r\n", "GET /", ""] {
        let huge = try RawClient(daemon.path, user: ServerAbuseTests.hostile)
        huge.send(start)
        var sent = 0
        while sent < 10_000_000 {
          let count = huge.send(line)
          sent += count
          if count < line.count { break }
        }
        #expect(sent < 4_000_000)
        let text = await huge.waitForEnd()
        #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"))
        #expect(huge.count("54.09") == 0)
      }
      await ServerAbuseTests.expectAllPositions(daemon, client)
      let grown = ServerAbuseTests.residentKilobytes() - before
      #expect(grown < 20_000)
      #expect(await daemon.end() == nil)
    }
  }

  @Test func `the server keeps no closed connections after many short connections`() async throws {
    let (daemon, client) = try await Self.daemon()
    for _ in 0..<200 {
      let next = try RawClient(daemon.path, user: Self.hostile)
      next.get("/v1/location?purpose=churn")
      // The request is refused because of the policy or because of the request rate.
      let text = await next.waitForEnd()
      #expect(text.hasPrefix("HTTP/1.1 403 ") || text.hasPrefix("HTTP/1.1 429 "))
      let disconnecting = try RawClient(daemon.path, user: Self.hostile)
      disconnecting.get("/v1/events")
      disconnecting.hangUp()
      _ = await disconnecting.waitForEnd()
    }
    await Self.expectAllPositions(daemon, client)
    #expect(daemon.server.connectionCount <= 2)
    #expect(await daemon.end() == nil)
  }
}
