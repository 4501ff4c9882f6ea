// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import FleetProtocol
import LocationServices
import Positioning
import Testing

@testable import Plugins

@Suite("Fleet board")
struct FleetBoardStateTests {
  static func settings(_ entries: [SettingEntry] = []) throws -> FleetBoardSettings {
    try FleetBoardSettings(SettingsTable("sink[0]", entries: [SettingEntry("board", .string("van"))] + entries))
  }

  /// Returns a location with all values known.
  private static func location(_ number: Int, latitude: Double = 48.1234567) -> Location {
    .at(latitude, 11.7654321, time: .noon(plus: 37 + number, nanosecond: 250_000_000)) {
      $0.mode = .threeDimensional
      $0.receivedAt = .at(5000 + Double(number))
      $0.speedMetersPerSecond = 12.34
      $0.courseDegreesTrue = 123.4
      $0.altitudeMetersAboveSeaLevel = 519.8
      $0.satellitesUsed = 11
      $0.source = "/dev/ttyACM0"
    }
  }

  @Test func `with reduced accuracy, neither batches nor the status contain anything precise`() throws {
    let board = try #require(FleetBoardID("van"))
    var state = FleetBoardState(try Self.settings([SettingEntry("accuracy", .string("reduced"))]))
    for number in 0..<1800 {
      state.receive(
        Self.location(number, latitude: 48.1234567 + Double(number) * 1e-6),
        cell: .ofProcess, now: .at(5000 + Double(number)))
    }
    state.batcher.close()
    // One cell in a quarter of an hour.
    let fixes = state.batcher.complete.flatMap(\.fixes)
    #expect(fixes.count == 2)
    var options = FleetOutbox.Options(path: ":memory:", board: board, shard: board.shard)
    (options.isReduced, options.boot) = (true, "0b56ed28")
    var outbox = try FleetOutboxTests.open(options)
    for draft in state.batcher.complete { try outbox.add(draft, now: nil) }
    let payload = try #require(try outbox.next(after: 0)).message.payload
    let batch = try FleetBatch(json: payload)
    #expect(batch.isReduced && batch.boot == nil)
    for entry in batch.entries {
      let fix = entry.fix
      // Quarters of an hour, and a radius of kilometres.
      #expect((fix.timeMilliseconds ?? 0) % 900_000 == 0)
      #expect((fix.errorDecimeters ?? 0) >= 50_000)
      #expect(fix.bootMilliseconds == nil && fix.speedCentimetersPerSecond == nil)
      #expect(fix.courseTenthsOfDegree == nil && fix.altitudeDecimeters == nil)
      #expect(fix.satellites == nil)
    }
    // All positions of the drive give the same cell.
    #expect(Set(batch.entries.map(\.fix.latitudeE7)).count == 1)
    let due = state.statusIfDue(epoch: outbox.epoch, pendingCount: 2, droppedCount: 0, now: .at(6800))
    let status = try #require(due)
    #expect(status.isReduced && status.fix?.latitudeE7 == batch.entries.last?.fix.latitudeE7)
    let text = String(decoding: payload + status.json, as: UTF8.self)
    for secret in ["481234", "117654", "ttyACM0", "1795262437"] {
      #expect(!text.contains(secret), "\(text)")
    }
  }

  @Test func `a board without a date sends its time since boot`() throws {
    var state = FleetBoardState(try Self.settings())
    var location = Self.location(0)
    location.time = nil
    state.receive(location, cell: .ofProcess, now: .at(5000))
    #expect(state.batcher.open?.fixes.first?.timeMilliseconds == nil)
    #expect(state.batcher.open?.fixes.first?.bootMilliseconds == 5_000_000)
  }

  @Test func `simulated and replayed locations are marked`() throws {
    var state = FleetBoardState(try Self.settings())
    var location = Self.location(0)
    location.isReplayed = true
    state.receive(location, cell: .ofProcess, now: .at(0))
    #expect(state.batcher.open?.isSimulated == true)
  }

  @Test func `the status is due once a minute, and at once for a new problem, which ends in an hour`() throws {
    let epoch = try #require(FleetEpoch(3))
    var state = FleetBoardState(try Self.settings())
    func status(at seconds: Double) -> FleetStatus? {
      state.statusIfDue(epoch: epoch, pendingCount: 7, droppedCount: 1, now: .at(seconds))
    }
    #expect(status(at: 0)?.pendingCount == 7)
    #expect(status(at: 59) == nil && status(at: 60)?.fix == nil)
    state.receive(Self.location(0), cell: .ofProcess, now: .at(60))
    state.note("the disk is full", now: .at(61))
    let problem = status(at: 61)
    #expect(problem?.problem == "the disk is full" && problem?.fix?.latitudeE7 == 481_234_567)
    state.note("the disk is full", now: .at(62))
    #expect(status(at: 62) == nil)
    #expect(status(at: 3700)?.problem == nil)
  }

  @Test func `an invalid board id and rates that contradict each other are errors of the setting`() {
    #expect(throws: SettingsError.self) {
      try FleetBoardSettings(SettingsTable("sink[0]", entries: [SettingEntry("board", .string("Van.7"))]))
    }
    #expect(throws: SettingsError.self) {
      try Self.settings([SettingEntry("interval_seconds", .integer(60))])
    }
  }
}
