// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import PathMonitorClient
import Synchronization
import Testing

@testable import PathMonitorClientLive

/// The monitor with very many changes, and without changes.
@Suite(
  "Path monitor in a flood of changes and in silence",
  .enabled(if: NetworkFixture.isPermitted, NetworkFixture.skipReason),
  .timeLimit(.minutes(5)))
struct PathFloodTests {
  @Test
  func `after 2,000 route changes overrun netlink's socket, at most two reads find the right path`() async throws {
    let blocker = ThreadBlocker()
    defer { blocker.set(false) }
    let network = try NetworkFixture(receiveBufferBytes: 4096, blocker: blocker)
    network.connect()
    network.watch()
    await network.published.wait { $0.last?.path.isSatisfied == true }
    await network.settle()
    let file = URL.temporaryDirectory.appending(path: network.board.name + ".batch")
    defer { try? FileManager.default.removeItem(at: file) }
    let changes = (0..<2000).map { index in
      "route add 10.\(index / 250).\(index % 250).0/24 via 198.51.100.1"
    }
    try (changes + ["route del default"]).joined(separator: "\n")
      .write(to: file, atomically: true, encoding: .utf8)
    blocker.set(true)
    let before = network.monitor.counters.counts
    #expect(network.board.ip(batch: file.path) == 0)
    blocker.set(false)
    await network.published.wait {
      $0.last.map { NetworkFixture.summary($0.path) } == PathFaultsTests.noRoute.last
    }
    let after = network.monitor.counters.counts
    print("2,000 changes: \(after)")
    #expect(after.overruns - before.overruns == 1)
    #expect(after.messages - before.messages < 1000)
    // A change after the overrun may cause a second read.
    #expect((1...2).contains(after.reads - before.reads))
    await network.expect([PathFaultsTests.satisfied], for: "route added") {
      network.board.ip(PathFaultsTests.route)
    }
  }

  @Test func `without changes of the network, the monitor wakes only for its periodic reads`() async throws {
    // This checks the default timing; the test uses a shorter interval.
    #expect(PathWatch.Timing().hold == 1_000_000_000)
    #expect(PathWatch.Timing().backstop == 15_000_000_000)
    let network = try NetworkFixture(timing: PathWatch.Timing(hold: 0, backstop: 50_000_000))
    network.watch()
    #expect(await network.next() != nil)
    let before = network.monitor.counters.counts
    _ = await network.reads.wait(for: before.reads + 10)
    let after = network.monitor.counters.counts
    #expect(after.wakeups - before.wakeups == after.reads - before.reads)
    #expect(after.messages == 0)
  }

  // The test runs in a separate process, because other tests allocate memory at the same time.
  @Test func `10,000 route changes do not increase memory use`() async {
    await #expect(processExitsWith: .success) {
      let network = try NetworkFixture()
      network.connect()
      // The fixture's monitor is not used, because it records each read.
      let query = PathQuery(
        destination: .internet, resolverFile: network.resolver.path, deviceType: { _ in nil },
        metered: { .unknown })
      let monitor = NetlinkPathMonitor(
        query, timing: PathWatch.Timing(quiet: 0, hold: 0),
        openSocket: { [board = network.board] isListening throws(NetlinkError) in
          try board.openSocket(isListening: isListening)
        })
      let published = Mutex(0)
      let paths = monitor.subscribe()
      let listener = Task { for await _ in paths { published.withLock { $0 += 1 } } }
      defer { listener.cancel() }
      let file = URL.temporaryDirectory.appending(path: network.board.name + ".batch")
      defer { try? FileManager.default.removeItem(at: file) }
      let change = "route del default\n\(PathFaultsTests.route)\n"
      try String(repeating: change, count: 1000).write(to: file, atomically: true, encoding: .utf8)
      // Allocations of the first rounds are not counted as growth.
      for _ in 1...2 { network.board.ip(batch: file.path) }
      let before = (
        bytes: PathFloodTests.residentBytes(), counts: monitor.counters.counts,
        published: published.withLock { $0 }
      )
      // The number of changes per published path depends on scheduling, but the test also needs
      // many published paths.
      var (batches, count) = (0, 0)
      while batches < 5 || count <= 50, !Task.isCancelled {
        network.board.ip(batch: file.path)
        batches += 1
        count = published.withLock { $0 } - before.published
      }
      let after = monitor.counters.counts
      let growth = PathFloodTests.residentBytes() - before.bytes
      print(
        "\(batches * 2000) changes: \(after.messages - before.counts.messages) notified,",
        "\(count) paths, \(growth) bytes more")
      #expect(after.messages - before.counts.messages > 9000 || after.overruns > before.counts.overruns)
      #expect(count > 50)
      #expect(growth < 1 << 18)
    }
  }

  @Test(.enabled(if: Self.maySetClock))
  func `setting the wall clock causes a read of the path`() async throws {
    // Without periodic reads, only the jump can cause a read.
    let network = try NetworkFixture(timing: PathWatch.Timing(hold: 0, backstop: NetworkFixture.never))
    network.watch()
    #expect(await network.next() != nil)
    await network.settle()
    let reads = network.reads.events.count
    #expect(Self.setClock(forwardByNanoseconds: 1))
    #expect(await network.reads.wait(for: reads + 1).count > reads)
  }

  private static let maySetClock = setClock(forwardByNanoseconds: 0)

  private static func setClock(forwardByNanoseconds nanoseconds: Int) -> Bool {
    typealias Adjtimex = @convention(c) (UnsafeMutableRawPointer) -> Int32
    guard let symbol = dlsym(nil, "adjtimex") else { return false }
    // The fields of `struct timex` are the modes ADJ_SETOFFSET and ADJ_NANO, and the nanoseconds at
    // index 10.
    let modes: UInt32 = 0x0100 | 0x2000
    var timex = [UInt64](repeating: 0, count: 32)
    timex[0] = UInt64(modes)
    timex[10] = UInt64(nanoseconds)
    return unsafeBitCast(symbol, to: Adjtimex.self)(&timex) >= 0
  }

  static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
