// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import FleetProtocol
import Positioning
import SQLiteStore
import Testing

@testable import Plugins

@Suite("Fleet outbox")
struct FleetOutboxTests {
  static func options(_ path: String, board: String = "van") throws -> FleetOutbox.Options {
    let board = try #require(FleetBoardID(board))
    return .init(path: path, board: board, shard: board.shard)
  }

  static func open(_ options: FleetOutbox.Options, seed: UInt64 = 1) throws -> FleetOutbox {
    var generator = SeededGenerator(seed: seed)
    return try FleetOutbox(options, using: &generator)
  }

  /// Returns a draft of fixes, one a second, from a Unix time in seconds on.
  static func draft(_ count: Int, from start: Int64) throws -> FleetBatcher.Draft {
    var fixes: [FleetFix] = []
    for number in 0..<Int64(count) {
      var fix = try #require(
        FleetFix(latitudeE7: 480_000_000 + number, longitudeE7: start % 1_000_000))
      fix.timeMilliseconds = (start + number) * 1000
      fixes.append(fix)
    }
    return .init(fixes: fixes, isSimulated: false)
  }

  /// Returns the sequence numbers of all kept fixes.
  static func sequences(_ outbox: inout FleetOutbox) throws -> [Int64] {
    var (sequences, last): ([Int64], Int64) = ([], 0)
    while let item = try outbox.next(after: last) {
      let batch = try FleetBatch(json: item.message.payload)
      #expect(batch.entries.last?.sequence == item.sequence)
      // The consumer finds a batch that a broker lost by the number of the fix before it.
      #expect(batch.previous ?? (batch.entries[0].sequence - 1) == sequences.last ?? 0)
      sequences += batch.entries.map(\.sequence)
      last = item.sequence
    }
    return sequences
  }

  @Test func `sequence numbers continue after a restart, also if all batches were removed`() throws {
    let folder = try ScratchFolder()
    let options = try Self.options(folder.path + "/fleet.sqlite")
    var outbox = try Self.open(options)
    let epoch = outbox.epoch
    try outbox.add(Self.draft(3, from: 100), now: nil)
    try outbox.add(Self.draft(2, from: 200), now: nil)
    #expect(try Self.sequences(&outbox) == [1, 2, 3, 4, 5] && outbox.count == 5)
    try outbox.remove(0...5)
    #expect(outbox.count == 0 && outbox.bytes == 0)
    _ = consume outbox
    var opened = try Self.open(options, seed: 99)
    #expect(opened.epoch == epoch)
    try opened.add(Self.draft(1, from: 300), now: nil)
    #expect(try Self.sequences(&opened) == [6])
    // A file that was lost begins again, with another epoch.
    let other = try Self.open(try Self.options(":memory:"), seed: 99)
    #expect(other.epoch != epoch)
  }

  @Test func `a batch is a message of the board's topic, also after the board's id was changed`() throws {
    let folder = try ScratchFolder()
    var outbox = try Self.open(try Self.options(folder.path + "/fleet.sqlite"))
    try outbox.add(Self.draft(2, from: 100), now: nil)
    _ = consume outbox
    var renamed = try Self.open(try Self.options(folder.path + "/fleet.sqlite", board: "boat"))
    let item = try #require(try renamed.next(after: 0))
    let topic = try #require(FleetTopic(item.message.topic))
    #expect(topic.kind == .fix && topic.board.text == "boat" && !item.message.isRetained)
    #expect(try FleetBatch(json: item.message.payload).board.text == "boat")
    #expect(try renamed.next(after: item.sequence) == nil)
  }

  @Test func `a full outbox thins the oldest day to every second fix, again and again, and counts`() throws {
    var options = try Self.options(":memory:")
    options.limitBytes = 60_000
    var outbox = try Self.open(options)
    // Ten days at a batch of 10 fixes an hour.
    for hour in 0..<240 {
      try outbox.add(Self.draft(10, from: 1_790_000_000 + Int64(hour) * 3600), now: nil)
    }
    #expect(outbox.bytes <= options.limitBytes)
    let kept = try Self.sequences(&outbox)
    #expect(Int64(kept.count) == outbox.count)
    #expect(Int64(kept.count) + outbox.droppedCount == 2400)
    #expect(kept == kept.sorted() && Set(kept).count == kept.count)
    // The newest fixes are complete.
    #expect(Array(kept.suffix(100)) == Array(2301...2400))
  }

  @Test func `a full outbox of batches of one fix loses every second one of the oldest`() throws {
    var options = try Self.options(":memory:")
    options.limitBytes = 20_000
    var outbox = try Self.open(options)
    var added: Int64 = 0
    while outbox.droppedCount == 0, added < 1000 {
      try outbox.add(Self.draft(1, from: 1_790_000_000 + added), now: nil)
      added += 1
    }
    let step = Int64(FleetOutbox.stepCount)
    #expect(outbox.bytes <= options.limitBytes && outbox.droppedCount == step / 2)
    let kept = try Self.sequences(&outbox)
    #expect(kept == (1...added).filter { $0 > step || $0 % 2 == 0 })
  }

  @Test func `an outbox that is opened for reduced positions drops precise ones, and counts them`() throws {
    let folder = try ScratchFolder()
    var options = try Self.options(folder.path + "/fleet.sqlite")
    var outbox = try Self.open(options)
    try outbox.add(Self.draft(3, from: 100), now: nil)
    try outbox.add(Self.draft(2, from: 200), now: nil)
    _ = consume outbox
    options.isReduced = true
    var reduced = try Self.open(options)
    #expect(reduced.droppedCount == 5 && reduced.count == 0 && reduced.bytes == 0)
    try reduced.add(Self.draft(1, from: 300), now: nil)
    #expect(try Self.sequences(&reduced) == [6])
    _ = consume reduced
    var again = try Self.open(options)
    #expect(again.droppedCount == 0)
    #expect(try Self.sequences(&again) == [6])
  }

  @Test func `an hour's batches of 30 fixes stay within 42 bytes a fix in the outbox`() throws {
    var outbox = try Self.open(try Self.options(":memory:"))
    for number in 0..<120 {
      try outbox.add(Self.draft(30, from: 1_790_000_000 + Int64(number) * 30), now: nil)
    }
    #expect(outbox.count == 3600 && outbox.bytes <= 3600 * 42)
  }

  @Test func `batches expire after the number of days, by the earlier of the two clocks`() throws {
    var options = try Self.options(":memory:")
    options.keepDays = 2
    var outbox = try Self.open(options)
    let day: (Int64) -> UTCTime = { UTCTime(secondsSince1970: $0 * 86_400) }
    try outbox.add(Self.draft(2, from: 20_000 * 86_400), now: day(20_000))
    // A receiver whose date is years ahead.
    try outbox.add(Self.draft(2, from: 29_000 * 86_400), now: day(20_001))
    #expect(outbox.count == 4)
    try outbox.add(Self.draft(2, from: 20_003 * 86_400), now: day(20_003))
    #expect(outbox.count == 4 && outbox.droppedCount == 2)
  }

  @Test(.enabled(if: SmallVolume.isPermitted, "needs permission to make a volume"))
  func `nothing is lost on a full disk: batches wait in memory, and are stored when there is space`() throws {
    let folder = try ScratchFolder()
    let path = folder.path
    let options = try Self.options(path + "/fleet.sqlite")
    let result = SmallVolume.use(bytes: 262_144, at: path) { fill, free in
      try? Self.writeOnFullDisk(options, fill, free)
    }
    let outcome = try #require(result ?? nil)
    #expect(outcome.failure == SQLiteError.full(path: options.path))
    #expect(outcome.dropped == 0)
    #expect(outcome.kept == Array(1...Int64(outcome.added)))
  }

  private struct FullDisk: Sendable {
    var failure: SQLiteError?
    var added = 0
    var dropped: Int64 = 0
    var kept: [Int64] = []
  }

  /// Fills the disk, adds batches until one fails and five more, and frees the space.
  private static func writeOnFullDisk(
    _ options: FleetOutbox.Options, _ fill: () -> Void, _ free: () -> Void
  ) throws -> FullDisk {
    var (outcome, batcher) = (FullDisk(), FleetBatcher(maxFixes: 30))
    var outbox = try open(options)
    func store(_ outbox: inout FleetOutbox) {
      do throws(SQLiteError) {
        while let draft = batcher.complete.first {
          try outbox.add(draft, now: nil)
          batcher.removeFirst()
        }
      } catch {
        outcome.failure = error
      }
    }
    fill()
    var rest = 5
    while rest > 0, outcome.added < 30_000 {
      for fix in try draft(30, from: 1_790_000_000 + Int64(outcome.added)).fixes {
        batcher.add(fix, isSimulated: false)
      }
      outcome.added += 30
      store(&outbox)
      if outcome.failure != nil { rest -= 1 }
    }
    free()
    store(&outbox)
    outcome.dropped = batcher.droppedCount
    outcome.kept = try sequences(&outbox)
    return outcome
  }

  @Test func `a disk that stays full thins out what is held in memory, and never blocks`() throws {
    var batcher = FleetBatcher(maxFixes: 30)
    for _ in 0..<100 {
      for fix in try Self.draft(30, from: 1_790_000_000).fixes {
        batcher.add(fix, isSimulated: false)
      }
    }
    let held = batcher.complete.reduce(0) { $0 + $1.fixes.count }
    #expect(held <= FleetBatcher.maxHeld && held > FleetBatcher.maxHeld / 2)
    #expect(Int64(held) + batcher.droppedCount == 3000)
  }

  @Test func `simulated fixes and real ones are never in the same batch`() throws {
    var batcher = FleetBatcher(maxFixes: 30)
    let fix = try #require(try Self.draft(1, from: 1).fixes.first)
    batcher.add(fix, isSimulated: false)
    batcher.add(fix, isSimulated: true)
    batcher.add(fix, isSimulated: true)
    batcher.close()
    #expect(batcher.complete.map(\.isSimulated) == [false, true])
    #expect(batcher.complete.map(\.fixes.count) == [1, 2])
  }
}
