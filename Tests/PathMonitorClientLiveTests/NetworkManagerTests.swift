// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import PathMonitorClient
import Synchronization
import Testing

@testable import PathMonitorClientLive

/// NetworkManager's word, asked of a stand-in over a real D-Bus daemon.
@Suite(
  "NetworkManager over D-Bus",
  .enabled(if: SystemBus.isInstalled, "needs dbus-daemon, python3-dbus and python3-gi"),
  .timeLimit(.minutes(5)))
struct NetworkManagerTests {
  /// Longer than anything is waited for that comes.
  private static let patience: UInt64 = 300_000_000_000

  /// A bus, a stand-in on it, and what to do with them.
  struct Bench {
    let bus: SystemBus
    let daemon: ChildProcess
    let standIn: ChildProcess
    let property: URL

    /// One that waits for as long as the stand-in may take on a machine that is busy with others.
    func patientManager() -> NetworkManager {
      NetworkManager(address: bus.address, timeoutNanoseconds: NetworkManagerTests.patience)
    }

    func say(_ metered: String) throws { try Data(metered.utf8).write(to: property) }

    /// How often the stand-in was asked, once it has said that it was so often.
    func questions(_ count: Int) async -> Int {
      await standIn.lines.wait { $0.count { $0 == "asked" } >= count }.count { $0 == "asked" }
    }

    static func use(_ body: (Bench) async throws -> Void) async throws {
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
        ) { standIn in
          let lines = await standIn.lines.wait(for: 1)
          try #require(lines == ["ready"])
          try await body(Bench(bus: bus, daemon: daemon, standIn: standIn, property: property))
        }
      }
    }
  }

  @Test("is read with each question, and is unknown where it is no number of NetworkManager's")
  func values() async throws {
    try await Bench.use { bench in
      let manager = bench.patientManager()
      let said: [(String, Metered)] = [
        ("0", .unknown), ("1", .yes), ("2", .no), ("3", .guessedYes), ("4", .guessedNo),
        ("5", .unknown), ("4294967295", .unknown), ("yes", .unknown), ("1", .yes),
      ]
      for (text, metered) in said {
        try bench.say(text)
        #expect(manager.metered() == metered, "\(text)")
      }
      #expect(await bench.questions(said.count) == said.count)
    }
  }

  @Test("costs a few milliseconds a question, and leaves no descriptor behind")
  func cost() async throws {
    try await Bench.use { bench in
      let manager = bench.patientManager()
      try bench.say("1")
      #expect(manager.metered() == .yes)
      let descriptors = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") }
      let before = try descriptors().count
      let least = (1...100).map { _ in
        let begin = ContinuousClock.now
        #expect(manager.metered() == .yes)
        return ContinuousClock.now - begin
      }.min()
      // What a question takes is in all of them, a busy machine is not.
      print("one question to NetworkManager: \(least ?? .zero)")
      #expect(try #require(least) < .milliseconds(50))
      #expect(try descriptors().count <= before + 2)
    }
  }

  /// That a manager finds out nothing, long before its time for an answer is over.
  private func expectNothing(address: String) {
    let manager = NetworkManager(address: address, timeoutNanoseconds: Self.patience)
    let begin = ContinuousClock.now
    #expect(manager.metered() == .unknown, "\(address)")
    #expect(ContinuousClock.now - begin < .nanoseconds(Self.patience) / 2, "\(address)")
  }

  @Test("is unknown, without any wait, where the bus knows no NetworkManager or there is no bus")
  func absent() async throws {
    let folder = URL.temporaryDirectory.appending(path: "fixcast-bus-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await SystemBus.use(in: folder.path) { bus, _ in
      expectNothing(address: bus.address)
    }
    for address in ["unix:path=\(folder.path)/nothing", "no address", ""] {
      expectNothing(address: address)
    }
  }

  @Test("that hangs is waited for as long as it may take, and then left alone for a minute")
  func hangs() async throws {
    #expect(NetworkManager.timeoutNanoseconds == 100_000_000)
    try await Bench.use { bench in
      let now = Mutex<UInt64>(1)
      // Long enough for the answers that come, on a machine that is busy with others.
      let manager = NetworkManager(
        address: bench.bus.address, timeoutNanoseconds: 5_000_000_000,
        now: { now.withLock { $0 } })
      try bench.say("3")
      #expect(manager.metered() == .guessedYes)
      try bench.say("2")
      bench.standIn.send(SIGSTOP)
      await bench.standIn.waitForStop()
      let begin = ContinuousClock.now
      // What it said last: a bill does not end because nobody answers.
      #expect(manager.metered() == .guessedYes)
      let waited = ContinuousClock.now - begin
      print("NetworkManager that hangs: \(waited)")
      #expect(waited >= .seconds(5))
      bench.standIn.send(SIGCONT)
      // What was asked in vain is answered by then.
      await bench.standIn.lines.wait(until: { $0.count { $0 == "asked" } == 2 })
      now.withLock { $0 += 59_999_999_999 }
      #expect(manager.metered() == .guessedYes)
      now.withLock { $0 += 1 }
      #expect(manager.metered() == .no)
      #expect(await bench.questions(3) == 3)
    }
  }

  @Test("that goes away for good is unknown again")
  func gone() async throws {
    try await Bench.use { bench in
      let manager = bench.patientManager()
      try bench.say("1")
      #expect(manager.metered() == .yes)
      await bench.standIn.end()
      #expect(manager.metered() == .unknown)
    }
  }

  @Test("behind a bus that lets nobody in is not waited for any longer")
  func hangingBus() async throws {
    try await Bench.use { bench in
      bench.daemon.send(SIGSTOP)
      defer { bench.daemon.send(SIGCONT) }
      await bench.daemon.waitForStop()
      let begin = ContinuousClock.now
      #expect(NetworkManager(address: bench.bus.address).metered() == .unknown)
      let waited = ContinuousClock.now - begin
      print("bus that hangs: \(waited)")
      // The library alone would let it wait for a minute and a half.
      #expect(waited < .seconds(45))
    }
  }

  @Test("makes a monitor's path expensive, is followed with each read, and not asked for a loss")
  func monitor() async throws {
    try await Bench.use { bench in
      var hasRoute = true
      var wayOut = NetlinkFramesTests.route
      // Without RTNH_F_LINKDOWN.
      wayOut[24] = 0
      var query = PathQuery(destination: .internet)
      let manager = bench.patientManager()
      query.metered = { manager.metered() }
      func path() throws -> NetworkPath {
        var reader = NetlinkReader(
          socket: RecordedNetlinkSocket(
            links: [[NetlinkFramesTests.link]], addresses: [[NetlinkFramesTests.address]],
            routes: [hasRoute ? [wayOut] : []]))
        return try query.path(&reader)
      }
      for (text, isExpensive) in [("3", true), ("4", false), ("1", true), ("2", false)] {
        try bench.say(text)
        let path = try path()
        #expect(path.isSatisfied && path.isExpensive == isExpensive, "\(text)")
      }
      #expect(await bench.questions(4) == 4)
      hasRoute = false
      #expect(try !path().isSatisfied)
      // The next that it was asked is this.
      #expect(manager.metered() == .no)
      #expect(await bench.questions(5) == 5)
    }
  }
}
