// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import PathMonitorClient
import Synchronization
import Testing

@testable import PathMonitorClientLive

/// Queries to a simulated NetworkManager over a real D-Bus daemon.
@Suite(
  "NetworkManager over D-Bus",
  .enabled(if: SystemBus.isInstalled, "needs dbus-daemon, python3-dbus and python3-gi"),
  .timeLimit(.minutes(5)))
struct NetworkManagerTests {
  /// A timeout that no reply exceeds.
  private static let longTimeout: UInt64 = 300_000_000_000

  /// A bus with a simulated NetworkManager.
  struct Fixture {
    let bus: SystemBus
    let daemon: ChildProcess
    let service: ChildProcess
    let property: URL

    /// Makes a client with a timeout that is long enough for a busy machine.
    func makeManager() -> NetworkManager {
      NetworkManager(address: bus.address, timeoutNanoseconds: NetworkManagerTests.longTimeout)
    }

    func setMetered(_ metered: String) throws { try Data(metered.utf8).write(to: property) }

    /// Waits for a number of queries and returns the number received.
    func queryCount(_ count: Int) async -> Int {
      await service.lines.wait { $0.count { $0 == "query" } >= count }.count { $0 == "query" }
    }

    static func use(_ body: (Fixture) async throws -> Void) async throws {
      let folder = URL.temporaryDirectory.appending(path: "fixcast-bus-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let property = folder.appending(path: "metered")
      try Data("0".utf8).write(to: property)
      let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Scripts/network-manager.py").path
      try await SystemBus.use(in: folder.path) { bus, daemon in
        try await ChildProcess.use(
          path: "/usr/bin/python3", arguments: [script, bus.address, property.path]
        ) { service in
          let lines = await service.lines.wait(for: 1)
          try #require(lines == ["ready"])
          try await body(Fixture(bus: bus, daemon: daemon, service: service, property: property))
        }
      }
    }
  }

  @Test func `a query reads NetworkManager's property Metered and treats an invalid value as unknown`() async throws {
    try await Fixture.use { fixture in
      let manager = fixture.makeManager()
      let values: [(String, Metered)] = [
        ("0", .unknown), ("1", .yes), ("2", .no), ("3", .guessedYes), ("4", .guessedNo),
        ("5", .unknown), ("4294967295", .unknown), ("yes", .unknown), ("1", .yes),
      ]
      for (text, metered) in values {
        try fixture.setMetered(text)
        #expect(manager.metered() == metered, "\(text)")
      }
      #expect(await fixture.queryCount(values.count) == values.count)
    }
  }

  // Runs in a separate process, since other tests open descriptors at the same time.
  @Test func `a query to NetworkManager leaves no descriptor open`() async {
    await #expect(processExitsWith: .success) {
      try await Fixture.use { fixture in
        let manager = fixture.makeManager()
        try fixture.setMetered("1")
        #expect(manager.metered() == .yes)
        let descriptors = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") }
        let before = try descriptors().count
        let shortest = (1...100).map { _ in
          let begin = ContinuousClock.now
          #expect(manager.metered() == .yes)
          return ContinuousClock.now - begin
        }.min()
        print("one query to NetworkManager: \(shortest ?? .zero)")
        #expect(TimeGoal.isReached(shortest, atMostSeconds: 0.05))
        #expect(try descriptors().count <= before)
      }
    }
  }

  /// Expects an unknown result long before the timeout.
  private func expectUnknown(address: String) {
    let manager = NetworkManager(address: address, timeoutNanoseconds: Self.longTimeout)
    let begin = ContinuousClock.now
    #expect(manager.metered() == .unknown, "\(address)")
    #expect(ContinuousClock.now - begin < .nanoseconds(Self.longTimeout) / 2, "\(address)")
  }

  @Test func `the metered state is unknown at once without NetworkManager or without a bus`() async throws {
    let folder = URL.temporaryDirectory.appending(path: "fixcast-bus-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await SystemBus.use(in: folder.path) { bus, _ in
      expectUnknown(address: bus.address)
    }
    for address in ["unix:path=\(folder.path)/nothing", "no address", ""] {
      expectUnknown(address: address)
    }
  }

  @Test func `after a timeout NetworkManager is not queried for a minute`() async throws {
    #expect(NetworkManager.timeoutNanoseconds == 100_000_000)
    try await Fixture.use { fixture in
      let now = Mutex<UInt64>(1)
      // The timeout is long enough for replies on a busy machine.
      let manager = NetworkManager(
        address: fixture.bus.address, timeoutNanoseconds: 5_000_000_000,
        now: { now.withLock { $0 } })
      try fixture.setMetered("3")
      #expect(manager.metered() == .guessedYes)
      try fixture.setMetered("2")
      fixture.service.send(SIGSTOP)
      await fixture.service.waitForStop()
      let begin = ContinuousClock.now
      // After a timeout the previous value is kept.
      #expect(manager.metered() == .guessedYes)
      let waited = ContinuousClock.now - begin
      print("NetworkManager that hangs: \(waited)")
      #expect(waited >= .seconds(5))
      fixture.service.send(SIGCONT)
      // Wait until NetworkManager has answered the query that timed out.
      await fixture.service.lines.wait(until: { $0.count { $0 == "query" } == 2 })
      now.withLock { $0 += 59_999_999_999 }
      #expect(manager.metered() == .guessedYes)
      now.withLock { $0 += 1 }
      #expect(manager.metered() == .no)
      #expect(await fixture.queryCount(3) == 3)
    }
  }

  @Test func `the metered state is unknown after NetworkManager has exited`() async throws {
    try await Fixture.use { fixture in
      let manager = fixture.makeManager()
      try fixture.setMetered("1")
      #expect(manager.metered() == .yes)
      await fixture.service.end()
      #expect(manager.metered() == .unknown)
    }
  }

  @Test func `the timeout of a NetworkManager query also applies to a bus that does not respond`() async throws {
    try await Fixture.use { fixture in
      fixture.daemon.send(SIGSTOP)
      defer { fixture.daemon.send(SIGCONT) }
      await fixture.daemon.waitForStop()
      let begin = ContinuousClock.now
      #expect(NetworkManager(address: fixture.bus.address).metered() == .unknown)
      let waited = ContinuousClock.now - begin
      print("bus that hangs: \(waited)")
      // Without the client's own timeout, the library would wait for 90 seconds.
      #expect(waited < .seconds(45))
    }
  }

  @Test func `NetworkManager is asked whether a path is metered only if the path is satisfied`() async throws {
    try await Fixture.use { fixture in
      var hasRoute = true
      var defaultRoute = NetlinkFramesTests.route
      // The flag RTNH_F_LINKDOWN is cleared.
      defaultRoute[24] = 0
      var query = PathQuery(destination: .internet)
      let manager = fixture.makeManager()
      query.metered = { manager.metered() }
      func path() throws -> NetworkPath {
        var reader = NetlinkReader(
          socket: RecordedNetlinkSocket(
            links: [[NetlinkFramesTests.link]], addresses: [[NetlinkFramesTests.address]],
            routes: [hasRoute ? [defaultRoute] : []]))
        return try query.path(&reader)
      }
      for (text, isExpensive) in [("3", true), ("4", false), ("1", true), ("2", false)] {
        try fixture.setMetered(text)
        let path = try path()
        #expect(path.isSatisfied && path.isExpensive == isExpensive, "\(text)")
      }
      #expect(await fixture.queryCount(4) == 4)
      hasRoute = false
      #expect(try !path().isSatisfied)
      // The unsatisfied path caused no query, so this is the fifth query.
      #expect(manager.metered() == .no)
      #expect(await fixture.queryCount(5) == 5)
    }
  }
}
