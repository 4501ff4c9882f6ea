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
  .timeLimit(.minutes(1)))
struct NetworkManagerTests {
  /// A bus, a stand-in on it, and what to do with them.
  struct Bench {
    let bus: SystemBus
    let daemon: ChildProcess
    let standIn: ChildProcess
    let property: URL

    /// One that waits for as long as the stand-in may take on a machine that is busy with others.
    func patientManager() -> NetworkManager {
      NetworkManager(address: bus.address, timeoutNanoseconds: 10_000_000_000)
    }

    func say(_ metered: String) throws { try Data(metered.utf8).write(to: property) }

    var questions: Int { standIn.lines.events.count { $0 == "asked" } }

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
      #expect(bench.questions == said.count)
    }
  }

  @Test("costs a few milliseconds a question, and leaves no descriptor and no memory behind")
  func cost() async throws {
    try await Bench.use { bench in
      let manager = bench.patientManager()
      try bench.say("1")
      #expect(manager.metered() == .yes)
      let descriptors = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") }
      let before = try descriptors().count
      let begin = ContinuousClock.now
      for _ in 1...100 { #expect(manager.metered() == .yes) }
      let each = (ContinuousClock.now - begin) / 100
      print("one question to NetworkManager: \(each)")
      #expect(each < .milliseconds(50))
      #expect(try descriptors().count <= before + 2)
    }
  }

  /// How long a manager that has asked nothing yet takes to find out nothing.
  ///
  /// The least of five, each of its own: a wait that is the manager's is in all of them, one for a
  /// busy machine is not.
  private func leastWait(address: String) -> Duration? {
    (0..<5).map { _ in
      let begin = ContinuousClock.now
      #expect(NetworkManager(address: address).metered() == .unknown, "\(address)")
      return ContinuousClock.now - begin
    }.min()
  }

  @Test("is unknown, without any wait, where the bus knows no NetworkManager or there is no bus")
  func absent() async throws {
    let folder = URL.temporaryDirectory.appending(path: "fixcast-bus-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await SystemBus.use(in: folder.path) { bus, _ in
      let waited = try #require(leastWait(address: bus.address))
      print("no NetworkManager on the bus: \(waited)")
      #expect(waited < .milliseconds(90))
    }
    for address in ["unix:path=\(folder.path)/nothing", "no address", ""] {
      #expect(try #require(leastWait(address: address)) < .milliseconds(90), "\(address)")
    }
  }

  @Test("that hangs is waited for a tenth of a second, and then left alone for a minute")
  func hangs() async throws {
    try await Bench.use { bench in
      let now = Mutex<UInt64>(1)
      let manager = NetworkManager(
        address: bench.bus.address, now: { now.withLock { $0 } })
      try bench.say("3")
      #expect(manager.metered() == .guessedYes)
      try bench.say("2")
      bench.standIn.send(SIGSTOP)
      let begin = ContinuousClock.now
      // What it said last: a bill does not end because nobody answers.
      #expect(manager.metered() == .guessedYes)
      let waited = ContinuousClock.now - begin
      print("NetworkManager that hangs: \(waited)")
      #expect(waited >= .milliseconds(90) && waited < .milliseconds(250))
      bench.standIn.send(SIGCONT)
      // What was asked in vain is answered by then.
      await bench.standIn.lines.wait(until: { $0.count { $0 == "asked" } == 2 })
      now.withLock { $0 += 59_999_999_999 }
      #expect(manager.metered() == .guessedYes)
      now.withLock { $0 += 1 }
      #expect(manager.metered() == .no)
      #expect(bench.questions == 3)
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
      let waited = try #require(leastWait(address: bench.bus.address))
      print("bus that hangs: \(waited)")
      #expect(waited < .milliseconds(250))
    }
  }

  @Test("makes a monitor's path expensive, is followed with each read, and not asked for a loss")
  func monitor() async throws {
    try await Bench.use { bench in
      var hasRoute = true
      var wayOut = NetlinkFramesTests.route
      // Without RTNH_F_LINKDOWN.
      wayOut[24] = 0
      var inquiry = PathInquiry(destination: .internet)
      let manager = bench.patientManager()
      inquiry.metered = { manager.metered() }
      func path() throws -> NetworkPath {
        var reader = NetlinkReader(
          socket: RecordedNetlinkSocket(
            links: [[NetlinkFramesTests.link]], addresses: [[NetlinkFramesTests.address]],
            routes: [hasRoute ? [wayOut] : []]))
        return try inquiry.path(&reader)
      }
      for (text, isExpensive) in [("3", true), ("4", false), ("1", true), ("2", false)] {
        try bench.say(text)
        let path = try path()
        #expect(path.isSatisfied && path.isExpensive == isExpensive, "\(text)")
      }
      #expect(bench.questions == 4)
      hasRoute = false
      #expect(try !path().isSatisfied)
      #expect(bench.questions == 4)
    }
  }
}
