// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Positioning
import SystemSupport
import Testing

@testable import DaemonServer

@Suite("gpsd and NMEA clients on real sockets", .timeLimit(.minutes(5)), .needsRoot)
struct FeedSocketTests {
  private static let watch = #"?WATCH={"enable":true,"json":true}"#
  private static let pi: UInt32 = 1000
  private static let nobody: UInt32 = 65_534

  /// A daemon that serves gpsd clients on ports of 127.0.0.1 and ::1.
  private struct Fixture {
    let daemon: TestDaemon
    let port4: ReservedPort
    let port6: ReservedPort

    init(policy: String = "", limits: ServerLimits = ServerLimits()) async throws {
      daemon = try await TestDaemon(policy: policy, limits: limits)
      port4 = try ReservedPort()
      port6 = try ReservedPort(on: .ipv6)
      let addresses = ["127.0.0.1:\(port4.number)", "[::1]:\(port6.number)"]
      daemon.server.gpsd.apply(FeedServer.Settings(addresses: addresses.compactMap { ListenAddress($0) }))
      #expect(daemon.server.gpsd.status.listening == addresses.sorted())
    }

    func client(
      _ user: UInt32, on loopback: Loopback = .ipv4, isMapped: Bool = false, isReading: Bool = true
    ) throws -> RawClient {
      let port = loopback == .ipv4 ? port4.number : port6.number
      return try RawClient(port: port, on: loopback, isMapped: isMapped, user: user, isReading: isReading)
    }
  }

  @Test(arguments: [(Loopback.ipv4, false), (.ipv6, false), (.ipv4, true)])
  func `each client is identified by its user: over IPv4, IPv6 and an IPv4-mapped address`(
    loopback: Loopback, isMapped: Bool
  ) async throws {
    let fixture = try await Fixture(policy: "allow uid=\(Self.pi)\n")
    for (user, isAllowed) in [(0, true), (Self.pi, true), (Self.nobody, false)] {
      let client = try fixture.client(user, on: loopback, isMapped: isMapped)
      client.send(Self.watch)
      await client.wait(for: #""class":"WATCH""#)
      if !isAllowed {
        await client.wait(for: #""class":"ERROR""#)
        #expect(client.text.contains("uid=65534") || client.text.contains("user=nobody"))
      }
      await client.exchange { fixture.daemon.publishFix() }
      // A client whose rule is not applied yet gets no position, so publish until one arrives.
      while isAllowed, client.count(TestDaemon.latitude) == 0, client.isConnected {
        await client.exchange { fixture.daemon.publishFix() }
      }
      await client.exchange { for _ in 0..<3 { fixture.daemon.publishFix() } }
      await client.wait(for: isAllowed ? TestDaemon.latitude : #""mode":"#)
      #expect(client.text.contains(TestDaemon.latitude) == isAllowed, "\(user): \(client.text)")
      client.hangUp()
    }
    #expect(await fixture.daemon.end() == nil)
  }

  @Test func `1,000 connections that the user nobody opens and closes are granted nothing`() async throws {
    var limits = ServerLimits()
    limits.connectionBurst = 2000
    let fixture = try await Fixture(limits: limits)
    let publishing = Task { [server = fixture.daemon.server] in
      while !Task.isCancelled {
        TestDaemon.publishFix(on: server)
        await Task.yield()
      }
    }
    for index in 0..<1000 {
      do {
        let client = try fixture.client(Self.nobody, on: index % 2 == 0 ? .ipv4 : .ipv6, isReading: false)
        // Half of the clients send a request before they close.
        if index % 4 < 2 { client.send(Self.watch) }
        fixture.daemon.publishFix()
      }
      // The client has closed its connection.
      fixture.daemon.publishFix()
    }
    publishing.cancel()
    await publishing.value
    let log = fixture.daemon.places.stateFolder + "/uses.jsonl"
    let uses = (try? BoundedFile.read(log, limit: 10_000_000)) ?? []
    let text = String(decoding: uses, as: UTF8.self)
    #expect(!text.contains("firstFix"), "\(text.suffix(500))")
    #expect(!text.contains(#""uid":0"#))
    // The server still serves a client with access.
    let root = try fixture.client(0)
    root.send(Self.watch)
    await root.wait(for: #""class":"WATCH""#)
    #expect(await fixture.daemon.end() == nil)
  }

  @Test func `40 users without access who connect at once take no place after they have ended`() async throws {
    let fixture = try await Fixture()
    let clients = try (0..<40).map {
      try fixture.client(UInt32(100_000 + $0), isReading: false)
    }
    let root = try fixture.client(0)
    root.send(Self.watch)
    await root.wait(for: #""class":"WATCH""#)
    #expect(root.isConnected)
    for client in clients { client.hangUp() }
    while fixture.daemon.server.gpsd.status.clientCount != 1, root.isConnected {
      await root.exchange {}
    }
    #expect(root.isConnected)
    #expect(await fixture.daemon.end() == nil)
  }

  @Test func `after a revocation, no position arrives; the time of the last byte is printed`() async throws {
    let fixture = try await Fixture()
    let daemon = fixture.daemon
    try daemon.decide(ClientSelector(userID: Self.pi), .always)
    let client = try fixture.client(Self.pi)
    client.send(Self.watch)
    await client.wait(for: #""class":"WATCH""#)
    await daemon.waitForLog(#""started""#)
    // Each received piece causes the next position, so that one is always on its way.
    let publishing = Task { [server = daemon.server] in
      while !Task.isCancelled {
        let count = client.pieces.events.count
        TestDaemon.publishFix(on: server)
        await client.pieces.wait(for: count + 1)
      }
    }
    await client.wait(for: TestDaemon.latitude, count: 20)
    let before = client.count(TestDaemon.latitude)
    let revokedAt = MonotonicTime.now()
    try daemon.decide(ClientSelector(userID: Self.pi), .denied)
    await client.wait(forUnique: #""class":"ERROR""#)
    let seconds = MonotonicTime.now().seconds(since: revokedAt)
    publishing.cancel()
    await publishing.value
    await client.exchange { for _ in 0..<10 { daemon.publishFix() } }
    let parts = client.text.split(separator: #""class":"ERROR""#)
    #expect(parts.count == 2)
    #expect(parts.last?.contains(TestDaemon.latitude) == false)
    let late = client.count(TestDaemon.latitude) - before
    print("revocation: no position after \(seconds * 1000) ms; \(late) positions meanwhile")
    #expect(TimeGoal.isReached(seconds, atMostSeconds: 5))
    #expect(await daemon.end() == nil)
  }

  @Test func `NMEA clients are served on a Unix socket, which is removed at the end`() async throws {
    let daemon = try await TestDaemon()
    // A decision, unlike a rule, applies before the start of the feed is logged.
    try daemon.decide(ClientSelector(userID: Self.pi), .always)
    let path = daemon.folder.path + "/nmea.sock"
    daemon.server.nmea.apply(FeedServer.Settings(socketPath: path))
    let client = try RawClient(path, user: Self.pi)
    await daemon.waitForLog(#""started""#)
    daemon.publishFix()
    await client.wait(for: "5405.60810,N")
    #expect(client.text.contains("5405.60810,N"), "\(client.text)")
    #expect(!client.text.contains("{"))
    #expect(await daemon.end() == nil)
    #expect(access(path, F_OK) != 0)
  }

  @Test func `a port that is in use is reported, and used after it has become free`() async throws {
    let daemon = try await TestDaemon()
    let other = try await TestDaemon()
    let port = try ReservedPort()
    let address = try #require(ListenAddress("127.0.0.1:\(port.number)"))
    let settings = FeedServer.Settings(addresses: [address])
    other.server.gpsd.apply(settings)
    daemon.server.gpsd.apply(settings)
    #expect(daemon.server.gpsd.status.listening.isEmpty)
    let failure = try #require(daemon.server.gpsd.status.failures.first)
    #expect(failure.contains("\(address)") && failure.contains("in use"), "\(failure)")
    other.server.gpsd.apply(FeedServer.Settings())
    #expect(await other.end() == nil)
    daemon.server.gpsd.apply(settings)
    #expect(daemon.server.gpsd.status.listening == ["\(address)"])
    #expect(daemon.server.gpsd.status.failures.isEmpty)
    #expect(await daemon.end() == nil)
  }

  @Test func `a server that is disabled stops listening on its addresses and its socket`() async throws {
    let daemon = try await TestDaemon()
    let port = try ReservedPort()
    let path = daemon.folder.path + "/nmea.sock"
    var settings = FeedServer.Settings(
      addresses: [try #require(ListenAddress("127.0.0.1:\(port.number)"))], socketPath: path)
    daemon.server.nmea.apply(settings)
    #expect(daemon.server.nmea.status.listening == [path, "127.0.0.1:\(port.number)"].sorted())
    settings.isEnabled = false
    daemon.server.nmea.apply(settings)
    #expect(daemon.server.nmea.status.state == .stopped)
    #expect(daemon.server.nmea.status.listening.isEmpty && access(path, F_OK) != 0)
    #expect(await daemon.end() == nil)
  }

  @Test func `an uneven sequence of bytes never stops the server`() async throws {
    let fixture = try await Fixture()
    let hostile = try fixture.client(0)
    hostile.send([UInt8](repeating: UInt8(ascii: "{"), count: 200_000))
    hostile.send("?WATCH={")
    let client = try fixture.client(0)
    client.send(Self.watch)
    await client.wait(for: #""class":"WATCH""#)
    #expect(client.text.contains(#""class":"WATCH""#))
    #expect(await fixture.daemon.end() == nil)
  }
}
