// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import NIOCore
import NIOPosix
import Positioning
import SystemSupport
import Testing

@testable import DaemonServer

@Suite("Ports that are in use at first", .timeLimit(.minutes(5))) struct FeedServerRetryTests {
  /// The pauses between the attempts, which a test ends.
  private struct Pauses {
    let started = EventRecorder<Int64>()
    private let ends: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (ends, continuation) = AsyncStream.makeStream(of: Void.self) }

    func end() { continuation.yield() }

    func run(_ nanoseconds: Int64) async -> Bool {
      started.record(nanoseconds)
      return await ends.first { _ in true } != nil
    }
  }

  private static func server(
    _ reports: EventRecorder<String>, _ pauses: Pauses, limits: ServerLimits = ServerLimits()
  ) -> FeedServer {
    FeedServer(
      "gpsd", limits: limits, groups: nil,
      makeAcceptor: { socket, identify in
        SocketAcceptor(
          socket, loop: MultiThreadedEventLoopGroup.singleton.any(), limits: limits,
          isExempt: { _ in true }, identify: identify, now: { .now() })
      },
      admit: { close($0.socket) }, counts: { nil }, now: { .now() },
      report: { reports.record($0) }, pause: { await pauses.run($0) })
  }

  @Test func `a port that another program has held is used without a reload after it has become free`() async throws {
    let reports = EventRecorder<String>()
    let pauses = Pauses()
    let server = Self.server(reports, pauses)
    let other = try Loopback.ipv4.listen(port: 0)
    let address = try #require(ListenAddress("127.0.0.1:\(other.port)"))
    server.apply(FeedServer.Settings(addresses: [address]))
    let failure = try #require(server.status.failures.first)
    #expect(failure.contains("already in use"), "\(failure)")
    #expect(failure.contains("the daemon tries again every 10 s"), "\(failure)")
    _ = await pauses.started.wait(for: 1)
    // While the port is in use, the same failure is not reported again.
    pauses.end()
    let waits = await pauses.started.wait(for: 2)
    #expect(waits.allSatisfy { (5_000_000_000...10_000_000_000).contains($0) }, "\(waits)")
    #expect(reports.events.count == 1 && server.status.listening.isEmpty)
    close(other.descriptor)
    pauses.end()
    let lines = await reports.wait(for: 2)
    #expect(lines.last == "gpsd server: listening on \(address)")
    #expect(server.status.listening == ["\(address)"] && server.status.failures.isEmpty)
    let client = try RawClient(port: address.port)
    _ = await client.waitForEnd()
    await server.stop()
  }

  @Test func `a failed address that a reload removes is not tried again`() async throws {
    let reports = EventRecorder<String>()
    let pauses = Pauses()
    let server = Self.server(reports, pauses)
    let recovered = EventRecorder<Bool>()
    server.whenRecovered { recovered.record(true) }
    let (first, second) = (try Loopback.ipv4.listen(port: 0), try Loopback.ipv4.listen(port: 0))
    let addresses = try [first, second].map {
      try #require(ListenAddress("127.0.0.1:\($0.port)"))
    }
    server.apply(FeedServer.Settings(addresses: addresses))
    _ = await pauses.started.wait(for: 1)
    server.apply(FeedServer.Settings(addresses: [addresses[1]]))
    #expect(server.status.failures.count == 1)
    for socket in [first, second] { close(socket.descriptor) }
    pauses.end()
    _ = await recovered.wait(for: 1)
    #expect(server.status.listening == ["\(addresses[1])"])
    await server.stop()
    #expect(server.status.listening.isEmpty)
  }
}
