// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import ReceiverSimulator
import Testing

@testable import Receivers

/// Immediate and paced replays of a log.
@Suite(.timeLimit(.minutes(5))) struct ReplaySourceTests {
  private let clock = ManualClock()
  private let fixes = EventRecorder<Fix>()

  private func record(_ event: FixSourceEvent) {
    if case .fix(let fix) = event { fixes.record(fix) }
  }

  private var seconds: [Int64?] { fixes.events.map { $0.time?.secondsSince1970 } }

  @Test func `an immediate replay does not wait and sets no arrival times`() async throws {
    let source = ReplaySource(
      name: "log", bytes: [10, 20, 255, 30], pace: .immediate, clock: clock)
    try await source.run(decoder: TickDecoder(), delivering: record)
    #expect(seconds == [10, 20, nil, 30, nil])
    #expect(fixes.events.allSatisfy { $0.receivedAt == nil && $0.recordedAt == nil })
    #expect(fixes.events.allSatisfy { $0.isReplayed })
    #expect(source.counters.bytes == 4)
  }

  @Test func `a paced replay delivers each fix when it is due, and not before`() async throws {
    let pace = try #require(ReplayPace.times(2))
    let source = ReplaySource(
      name: "log", bytes: [10, 11, 11, 255, 15], pace: pace, clock: clock)
    let task = Task { try await source.run(decoder: TickDecoder(), delivering: record) }
    await clock.waitForSleepers()
    #expect(seconds == [10])
    clock.advance(by: .milliseconds(499))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(1))
    await clock.waitForSleepers()
    #expect(seconds == [10, 11, 11, nil])
    clock.advance(by: .seconds(2))
    try await task.value
    #expect(seconds == [10, 11, 11, nil, 15, nil])
    let arrivals = fixes.events.map(\.receivedAt)
    #expect(arrivals.allSatisfy { $0 != nil })
    #expect(arrivals.compactMap { $0 } == arrivals.compactMap { $0 }.sorted())
  }

  @Test func `a paced replay marks its fixes, and their age counts from the recorded time`() async throws {
    var source = ReplaySource(
      name: "log", bytes: [10, 255, 10], pace: .recorded, clock: clock)
    source.utcNow = { UTCTime(secondsSince1970: 100_010) }
    try await source.run(decoder: TickDecoder(), delivering: record)
    #expect(fixes.events.allSatisfy { $0.isReplayed })
    let ages = fixes.events.map { fix in fix.receivedAt.flatMap { fix.ageSeconds(at: $0) } }
    #expect(ages == [100_000, nil, 100_000, nil])
  }

  @Test func `the age of a replayed fix is unknown if the wall clock is behind the recording`() async throws {
    var source = ReplaySource(name: "log", bytes: [10], pace: .recorded, clock: clock)
    source.utcNow = { UTCTime(secondsSince1970: 9) }
    try await source.run(decoder: TickDecoder(), delivering: record)
    #expect(fixes.events.first?.isReplayed == true && fixes.events.first?.recordedAt == nil)
  }

  @Test func `a delayed fix does not delay the later fixes of a replay`() async throws {
    let source = ReplaySource(name: "log", bytes: [0, 1, 2, 3, 9], pace: .recorded, clock: clock)
    let task = Task { try await source.run(decoder: TickDecoder(), delivering: record) }
    await clock.waitForSleepers()
    // After a stall of 3.5 s, three fixes are due at once; the last fix is still due at 9 s.
    clock.advance(by: .milliseconds(3500))
    await clock.waitForSleepers()
    #expect(seconds == [0, 1, 2, 3])
    clock.advance(by: .milliseconds(5499))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(1))
    try await task.value
    #expect(seconds == [0, 1, 2, 3, 9, nil])
  }

  @Test func `a replay that is cancelled while it waits ends without an error`() async throws {
    let source = ReplaySource(name: "log", bytes: [0, 5, 6], pace: .recorded, clock: clock)
    let task = Task { try await source.run(decoder: TickDecoder(), delivering: record) }
    await clock.waitForSleepers()
    task.cancel()
    try await task.value
    #expect(seconds == [0])
  }

  @Test func `a replay reads a file in chunks and reads every byte once`() async throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 1000) }
    let path = try TemporaryFile(bytes)
    let source = ReplaySource(file: path.path, pace: .immediate)
    let chunks = EventRecorder<RecordingDecoder.Event>()
    try await source.run(decoder: RecordingDecoder(chunks)) { _ in }
    #expect(chunks.events.allBytes == bytes)
    #expect(chunks.events.last == .finish)
    #expect(chunks.events.count == 5)
    #expect(source.name == path.path.split(separator: "/").last.map(String.init))
  }

  @Test(arguments: [ReplayPace.immediate, .recorded])
  func `a replay waits after each chunk until its consumers have caught up`(pace: ReplayPace) async throws {
    let (permits, permit) = AsyncStream.makeStream(of: Void.self)
    let waits = EventRecorder<Int>()
    let fixes = fixes
    let source = ReplaySource(
      name: "log", bytes: [UInt8](repeating: 255, count: ChunkReader.chunkSize * 2 + 1),
      pace: pace, clock: clock,
      waitForConsumers: {
        waits.record(fixes.events.count)
        for await _ in permits { break }
      })
    async let run: Void = source.run(decoder: TickDecoder(), delivering: record)
    for chunks in 1...3 {
      let counts = await waits.wait(for: chunks)
      #expect(counts.count == chunks)
      #expect(counts.last == fixes.events.count)
      permit.yield()
    }
    try await run
    #expect(waits.events.count == 3)
  }

  @Test func `the error for a recording that cannot be read contains the cause and remedy`() async {
    let missing = await #expect(throws: ReplayError.self) {
      try await ReplaySource(file: "/no/such.log", pace: .recorded).run { _ in }
    }
    #expect(missing?.kind == .noSuchFile)
    #expect(
      missing?.description
        == "/no/such.log: open: No such file or directory (errno 2); check the name")
    let directory = await #expect(throws: ReplayError.self) {
      try await ReplaySource(file: "/tmp", pace: .immediate).run { _ in }
    }
    #expect(directory?.kind == .unreadable)
    #expect(directory?.call == "read")
    #expect(directory?.errorNumber == EISDIR)
  }

  @Test func `a replay of an empty log is not an error`() async throws {
    for pace in [ReplayPace.immediate, .recorded] {
      let source = ReplaySource(name: "empty", bytes: [], pace: pace, clock: clock)
      try await source.run { _ in }
      #expect(source.counters == NMEACounters())
    }
  }

  @Test func `a replay of simulator output yields the simulated fixes`() async throws {
    var receiver = try SimulatedReceiver(.init(start: .init(secondsSince1970: 1_795_305_570)))
    let epochs = (0..<100).map { _ in receiver.nextEpoch() }
    let source = ReplaySource(name: "sim", bytes: epochs.flatMap(\.bytes), pace: .immediate)
    try await source.run(delivering: record)
    #expect(fixes.events.map(\.time) == epochs.map(\.time))
    #expect(fixes.events.allSatisfy { $0.mode == .threeDimensional && $0.source == "sim" })
  }
}
