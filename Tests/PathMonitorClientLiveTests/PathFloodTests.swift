// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import PathMonitorClient
import Synchronization
import Testing

@testable import PathMonitorClientLive

/// Much at once, and nothing at all.
@Suite(
  "Path monitor under a flood and in silence", .enabled(if: Lab.isPermitted, Lab.needs),
  .timeLimit(.minutes(5)))
struct PathFloodTests {
  @Test("an overrun by 2,000 route changes ends with the right path, in one read")
  func overrun() async throws {
    let lateness = Lateness()
    defer { lateness.set(false) }
    let lab = try Lab(receiveBufferBytes: 4096, lateness: lateness)
    lab.connect()
    lab.watch()
    await lab.published.wait { $0.last?.path.isSatisfied == true }
    await lab.settle()
    let file = URL.temporaryDirectory.appending(path: lab.board.name + ".batch")
    defer { try? FileManager.default.removeItem(at: file) }
    let changes = (0..<2000).map { index in
      "route add 10.\(index / 250).\(index % 250).0/24 via 198.51.100.1"
    }
    try (changes + ["route del default"]).joined(separator: "\n")
      .write(to: file, atomically: true, encoding: .utf8)
    lateness.set(true)
    let before = lab.monitor.counters.counts
    #expect(lab.board.ip(batch: file.path) == 0)
    lateness.set(false)
    await lab.published.wait { $0.last.map { Lab.words($0.path) } == PathFaultsTests.noRoute.last }
    let after = lab.monitor.counters.counts
    print("2,000 changes: \(after)")
    #expect(after.overruns - before.overruns == 1)
    #expect(after.messages - before.messages < 1000)
    #expect(after.reads - before.reads == 1)
    await lab.expect([PathFaultsTests.there], for: "return") {
      lab.board.ip(PathFaultsTests.route)
    }
  }

  @Test("in silence it wakes for its backstop only, over ten of them")
  func idle() async throws {
    // What the product waits for; the ten here are shorter.
    #expect(PathWatch.Timing().hold == 1_000_000_000)
    #expect(PathWatch.Timing().backstop == 15_000_000_000)
    let lab = try Lab(timing: PathWatch.Timing(hold: 0, backstop: 50_000_000))
    lab.watch()
    #expect(await lab.next() != nil)
    let before = lab.monitor.counters.counts
    _ = await lab.reads.wait(for: before.reads + 10)
    let after = lab.monitor.counters.counts
    #expect(after.wakeups - before.wakeups == after.reads - before.reads)
    #expect(after.messages == 0)
  }

  @Test("10,000 changes, told as fast as they are read, leave its memory as it was")
  func memory() async throws {
    let lab = try Lab()
    lab.connect()
    // Not the lab's own, which remembers each read.
    let query = PathQuery(
      destination: .internet, resolverFile: lab.resolver.path, deviceType: { _ in nil },
      metered: { .unknown })
    let monitor = NetlinkPathMonitor(
      query, timing: PathWatch.Timing(quiet: 0, hold: 0),
      openSocket: { [board = lab.board] isListening throws(NetlinkError) in
        try board.openSocket(isListening: isListening)
      })
    let published = Mutex(0)
    let paths = monitor.subscribe()
    let listener = Task { for await _ in paths { published.withLock { $0 += 1 } } }
    defer { listener.cancel() }
    let file = URL.temporaryDirectory.appending(path: lab.board.name + ".batch")
    defer { try? FileManager.default.removeItem(at: file) }
    let change = "route del default\n\(PathFaultsTests.route)\n"
    try String(repeating: change, count: 1000).write(to: file, atomically: true, encoding: .utf8)
    // What a first time asks for is no growth.
    for _ in 1...2 { lab.board.ip(batch: file.path) }
    let before = (
      bytes: Self.residentBytes(), counts: monitor.counters.counts,
      published: published.withLock { $0 }
    )
    // How many changes fall into one path depends on how much it gets to run; the paths are to be
    // many as well.
    var (batches, count) = (0, 0)
    while batches < 5 || count <= 50, !Task.isCancelled {
      lab.board.ip(batch: file.path)
      batches += 1
      count = published.withLock { $0 } - before.published
    }
    let after = monitor.counters.counts
    let growth = Self.residentBytes() - before.bytes
    print(
      "\(batches * 2000) changes: \(after.messages - before.counts.messages) told, \(count) paths,",
      "\(growth) bytes more")
    #expect(
      after.messages - before.counts.messages > 9000 || after.overruns > before.counts.overruns)
    #expect(count > 50)
    #expect(growth < 1 << 18)
  }

  @Test("a wall clock that is set has everything read", .enabled(if: Self.maySetClock))
  func clockJump() async throws {
    // No backstop within the test's time: a read is the jump's.
    let lab = try Lab(timing: PathWatch.Timing(hold: 0, backstop: Lab.never))
    lab.watch()
    #expect(await lab.next() != nil)
    await lab.settle()
    let reads = lab.reads.events.count
    #expect(Self.setClock(forwardByNanoseconds: 1))
    #expect(await lab.reads.wait(for: reads + 1).count > reads)
  }

  private static let maySetClock = setClock(forwardByNanoseconds: 0)

  private static func setClock(forwardByNanoseconds nanoseconds: Int) -> Bool {
    typealias Adjtimex = @convention(c) (UnsafeMutableRawPointer) -> Int32
    guard let symbol = dlsym(nil, "adjtimex") else { return false }
    // `struct timex`: the modes, ADJ_SETOFFSET and ADJ_NANO, and far behind them the offset.
    let modes: UInt32 = 0x0100 | 0x2000
    var timex = [UInt64](repeating: 0, count: 32)
    timex[0] = UInt64(modes)
    timex[10] = UInt64(nanoseconds)
    return unsafeBitCast(symbol, to: Adjtimex.self)(&timex) >= 0
  }

  private static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
