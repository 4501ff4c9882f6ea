// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import SQLiteStore
import Testing

@testable import Plugins

@Suite("MQTT outbox")
struct MQTTOutboxTests {
  private static func payload(_ number: Int) -> [UInt8] {
    Array(#"{"number":\#(number)}"#.utf8) + [UInt8](repeating: 32, count: 100)
  }

  @Test func `positions are returned in order until they are removed, also after a restart`() throws {
    let folder = try ScratchFolder()
    let options = MQTTOutbox.Options(path: folder.path + "/outbox.sqlite")
    var outbox = try MQTTOutbox(options)
    for number in 1...3 { try outbox.add(Self.payload(number), time: nil, now: nil) }
    try outbox.remove(1...1)
    try outbox.remove(1...1)
    #expect(outbox.count == 2)
    _ = consume outbox
    var opened = try MQTTOutbox(options)
    #expect(opened.count == 2)
    #expect(try opened.next(after: 0) == .init(sequence: 2, payload: Self.payload(2)))
    #expect(try opened.next(after: 2)?.sequence == 3)
    #expect(try opened.next(after: 3) == nil)
    try opened.remove(2...2)
    try opened.remove(3...3)
    // A number is never used again, so that a subscriber can recognize repeated messages.
    try opened.add(Self.payload(4), time: nil, now: nil)
    #expect(try opened.next(after: 0)?.sequence == 4)
  }

  @Test func `a full outbox thins out its older half and counts what it removes`() throws {
    var outbox = try MQTTOutbox(.init(path: ":memory:", limitBytes: 100 * 140))
    for number in 1...1000 { try outbox.add(Self.payload(number), time: nil, now: nil) }
    #expect(outbox.count < 105 && outbox.count > 50)
    #expect(outbox.thinnedCount == 1000 - outbox.count)
    var sequences: [Int64] = []
    while let item = try outbox.next(after: sequences.last ?? 0) { sequences.append(item.sequence) }
    // The first position is still there, and the newest ones are complete.
    #expect(sequences.first == 1)
    #expect(Array(sequences.suffix(40)) == Array(961...1000))
  }

  @Test func `positions expire after the number of days, by the earlier of the two clocks`() throws {
    var outbox = try MQTTOutbox(.init(path: ":memory:", keepDays: 2))
    let day: (Int64) -> UTCTime = { UTCTime(secondsSince1970: $0 * 86_400) }
    try outbox.add(Self.payload(1), time: day(20_000), now: day(20_000))
    // A receiver whose date is years ahead.
    try outbox.add(Self.payload(2), time: day(29_000), now: day(20_001))
    #expect(outbox.count == 2)
    try outbox.add(Self.payload(3), time: day(20_003), now: day(20_003))
    #expect(outbox.count == 2 && outbox.expiredCount == 1 && outbox.thinnedCount == 0)
    #expect(outbox.droppedCount == 1)
    #expect(try outbox.next(after: 0)?.sequence == 2)
  }

  @Test func `a new file for one that was removed continues the sequence numbers`() throws {
    let folder = try ScratchFolder()
    var outbox = try MQTTOutbox(.init(path: folder.path + "/outbox.sqlite"))
    for number in 1...3 { try outbox.add(Self.payload(number), time: nil, now: nil) }
    try folder.remove("outbox.sqlite")
    // The connection still reads the removed file.
    #expect(try outbox.next(after: 2)?.sequence == 3)
    try outbox.add(Self.payload(4), time: nil, now: nil)
    #expect(outbox.count == 1)
    // The connection has published positions up to 3.
    #expect(try outbox.next(after: 3) == .init(sequence: 4, payload: Self.payload(4)))
    let notice = outbox.takeNotice() ?? ""
    #expect(notice.contains("was moved or removed"))
    #expect(notice.hasSuffix("; 3 positions in the earlier file are not published"), "\(notice)")
    #expect(outbox.takeNotice() == nil)
  }

  @Test func `while a removed outbox cannot be created again, each position tries to`() throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("a")
    var outbox = try MQTTOutbox(.init(path: folder.path + "/a/outbox.sqlite"))
    try outbox.add(Self.payload(1), time: nil, now: nil)
    try folder.remove("a")
    for _ in 0..<2 {
      #expect(throws: SQLiteError.self) { try outbox.add(Self.payload(2), time: nil, now: nil) }
      #expect(throws: SQLiteError.self) { _ = try outbox.next(after: 0) }
    }
    try folder.makeFolder("a")
    try outbox.add(Self.payload(2), time: nil, now: nil)
    #expect(try outbox.next(after: 1)?.sequence == 2)
  }

  @Test func `a damaged file is renamed and replaced`() throws {
    let folder = try ScratchFolder()
    try folder.write("outbox.sqlite", String(repeating: "zebra ", count: 1000))
    var outbox = try MQTTOutbox(.init(path: folder.path + "/outbox.sqlite"))
    #expect(outbox.takeNotice()?.contains("damaged") == true)
    try outbox.add(Self.payload(1), time: nil, now: nil)
    #expect(outbox.count == 1)
  }
}
