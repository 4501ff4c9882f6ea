// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Positioning
import SQLiteStore
import Testing

@testable import Plugins

@Suite("SQLite sink")
struct SQLiteSinkTests {
  private static let day: Int64 = 86_400

  private static func location(_ second: Int64) -> Location {
    .at(51.5, -0.12, time: UTCTime(secondsSince1970: 1_763_726_400 + second)) { $0.source = "/dev/ttyACM0" }
  }

  private static func sink(
    _ path: String, clock: ManualClock = ManualClock(), utcNow: UTCTime? = nil,
    notices: EventRecorder<String> = EventRecorder(), onWrite: @escaping @Sendable () -> Void = {},
    change: (inout SQLiteSink.Options) -> Void = { _ in }
  ) -> SQLiteSink {
    var options = SQLiteSink.Options(file: path)
    options.batchPoints = 10
    options.commitSeconds = options.batchSeconds
    change(&options)
    return SQLiteSink(
      options: options,
      now: { MonotonicTime(nanoseconds: Int64(clock.now.offset / .nanoseconds(1))) },
      utcNow: {
        onWrite()
        return utcNow
      }, warn: { notices.record($0) })
  }

  private func submit(to sink: SQLiteSink, _ seconds: some Sequence<Int64>) async throws {
    for second in seconds { try await sink.receive(LocationEvent(Self.location(second))) }
  }

  private func rows(_ path: String, _ columns: String = "id") throws -> [[SQLiteValue]] {
    try SQLiteDatabase(path: path, layout: TrackDatabase.layout).rows("SELECT \(columns) FROM track ORDER BY id")
  }

  @Test func `an SQLite row contains the known values of a location, and NULL for unknown values`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/track.sqlite"
    var full = Self.location(0)
    full.time = UTCTime(secondsSince1970: 100, nanosecond: 250_000_000)
    full.mode = .threeDimensional
    full.altitudeMetersAboveSeaLevel = 35.25
    full.speedMetersPerSecond = 1.5
    full.satellitesUsed = 8
    full.isSimulated = true
    full.isReplayed = true
    full.horizontalAccuracy = Accuracy(meters: 4, confidencePercent: 95, basis: .dilution)
    let sink = Self.sink(path)
    try await sink.start()
    try await sink.receive(LocationEvent(full))
    try await sink.receive(LocationEvent(.at(1, 2)))
    try await sink.receive(NoFixEvent(Fix(mode: .none)))
    #expect(try rows(path).isEmpty)
    try await sink.write()
    await sink.stop()
    let columns =
      "time_milliseconds, latitude_degrees, longitude_degrees, altitude_meters_above_sea_level, "
      + "altitude_meters_above_ellipsoid, speed_meters_per_second, horizontal_error_meters, "
      + "mode, satellites, source, is_simulated, is_replayed"
    #expect(
      try rows(path, columns) == [
        [
          .integer(100_250), .real(51.5), .real(-0.12), .real(35.25), .null, .real(1.5), .real(4),
          .integer(3), .integer(8), .text("/dev/ttyACM0"), .integer(1),
          .integer(1),
        ],
        [
          .null, .real(1), .real(2), .null, .null, .null, .null, .integer(2), .null, .null,
          .integer(0), .integer(0),
        ],
      ])
  }

  @Test func `a track of the first version can be read, is upgraded, and has no replayed points`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/track.sqlite"
    do {
      let database = try SQLiteDatabase(path: path, layout: [TrackDatabase.layout[0]])
      try database.run(
        "INSERT INTO track (latitude_degrees, longitude_degrees, mode, is_simulated) "
          + "VALUES (1, 2, 2, 0)")
    }
    var read: [Location] = []
    try TrackReader(path: path).read(since: nil, until: nil) { read.append($0) }
    #expect(read.map(\.isReplayed) == [false])
    let sink = Self.sink(path)
    try await sink.start()
    try await sink.receive(LocationEvent(Self.location(0)))
    try await sink.write()
    await sink.stop()
    #expect(
      try rows(path, "latitude_degrees, is_replayed") == [
        [.real(1), .integer(0)], [.real(51.5), .integer(0)],
      ])
  }

  @Test func `points are written when the batch is full or has waited long enough`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/track.sqlite"
    let clock = ManualClock()
    let sink = Self.sink(path, clock: clock)
    try await sink.start()
    #expect(await sink.batch == SinkBatch(count: 0, remaining: nil))
    try await submit(to: sink, 0..<9)
    #expect(try rows(path).count == 0)
    try await submit(to: sink, 9..<14)
    #expect(try rows(path).count == 10)
    #expect(await sink.batch == SinkBatch(count: 4, remaining: .seconds(60)))
    clock.advance(by: .seconds(59))
    try await submit(to: sink, 14..<15)
    #expect(try rows(path).count == 10)
    #expect(await sink.batch == SinkBatch(count: 5, remaining: .seconds(1)))
    clock.advance(by: .seconds(1))
    #expect(await sink.batch.remaining == .zero)
    try await submit(to: sink, 15..<16)
    #expect(try rows(path).count == 16)
    #expect(await sink.batch == SinkBatch(count: 0, remaining: nil))
    await sink.stop()
  }

  @Test func `another connection can read each point within a second, long before the batch is full`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/track.sqlite"
    let clock = ManualClock()
    let sink = Self.sink(path, clock: clock, change: { $0.commitSeconds = SQLiteSink.Options(file: "").commitSeconds })
    try await sink.start()
    try await submit(to: sink, 0..<1)
    #expect(await sink.batch == SinkBatch(count: 1, remaining: .milliseconds(900)))
    for second in 1..<5 as Range<Int64> {
      clock.advance(by: .seconds(1))
      try await submit(to: sink, second..<(second + 1))
      // At one point per second, each point is written at once, so no timer is needed.
      #expect(await sink.batch == SinkBatch(count: 0, remaining: nil))
      #expect(try rows(path).count == Int(second) + 1)
    }
    try await submit(to: sink, 5..<8)
    #expect(try rows(path).count == 5)
    clock.advance(by: .milliseconds(900))
    #expect(await sink.batch == SinkBatch(count: 3, remaining: .zero))
    try await sink.write()
    #expect(try rows(path).count == 8)
  }

  @Test func `write() writes the waiting points of an SQLite sink; stop() does not`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/track.sqlite"
    let sink = Self.sink(path)
    try await sink.start()
    try await submit(to: sink, 0..<3)
    try await sink.write()
    try await sink.write()
    try await submit(to: sink, 3..<4)
    await sink.stop()
    #expect(try rows(path).count == 3)
  }

  @Test func `only the newest SQLite rows are kept, up to the limit`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/track.sqlite"
    let sink = Self.sink(path, change: { $0.limitRows = 25 })
    try await submit(to: sink, 0..<100)
    try await sink.write()
    await sink.stop()
    #expect(try rows(path).map { $0[0].integer } == (76...100).map { Int64($0) })
  }

  @Test func `the default row limit in the options equals the default in the settings`() {
    let declared = SQLiteSink.plugin.settings.first { $0.name == "limit_rows" }?.defaultValue
    #expect(declared == .integer(5_000_000))
    #expect(SQLiteSink.Options(file: "/x").limitRows == 5_000_000)
  }

  @Test(arguments: [
    (0, 0, 4), (0, 7000, 4), (7000, 0, 4), (0, -7000, 20),
  ])
  func `rows are deleted after the configured days, by the earlier of receiver time and wall clock`(
    receiverDays: Int64, boardDays: Int64, kept: Int
  ) async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/track.sqlite"
    let end = 19 * Self.day
    let now = UTCTime(secondsSince1970: 1_763_726_400 + end + boardDays * Self.day)
    let sink = Self.sink(path, utcNow: now, change: { $0.keepDays = 3 })
    try await submit(to: sink, (0..<19).map { $0 * Self.day })
    try await submit(to: sink, [end + receiverDays * Self.day])
    try await sink.write()
    await sink.stop()
    #expect(try rows(path).count == kept)
  }

  @Test func `a damaged SQLite file is renamed, and a warning is logged`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/track.sqlite"
    try folder.write("track.sqlite", String(repeating: "no database ", count: 500))
    let notices = EventRecorder<String>()
    let sink = Self.sink(path, notices: notices)
    try await sink.start()
    try await submit(to: sink, 0..<10)
    await sink.stop()
    #expect(try rows(path).count == 10)
    #expect(folder.names().contains("track.sqlite.damaged"))
    #expect(
      notices.events == [
        "sqlite: \(path): damaged: file is not a database; set aside as \(path).damaged, "
          + "and a new file was created"
      ])
  }

  @Test func `an SQLite file with a newer schema version is not changed`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/track.sqlite"
    let newer = ["CREATE TABLE track (a)"] + TrackDatabase.layout.map { _ in "" }
    _ = try SQLiteDatabase(path: path, layout: newer)
    let sink = Self.sink(path)
    let error = await #expect(throws: PluginError.self) { try await sink.start() }
    #expect(error?.kind == .unsupported)
    #expect(!folder.names().contains("track.sqlite.damaged"))
  }

  @Test func `a missing folder is a transient error of the SQLite sink`() async throws {
    let folder = try ScratchFolder()
    let sink = Self.sink(folder.path + "/none/track.sqlite")
    let error = await #expect(throws: PluginError.self) { try await sink.start() }
    #expect(error?.isTransient == true)
    #expect(error?.description.contains("/none/track.sqlite") == true)
  }

  @Test(.enabled(if: SmallVolume.isPermitted, "creating a volume is not permitted here"))
  func `on a full disk no part of a batch is written; the batch is written when there is free space`() throws {
    let folder = try ScratchFolder()
    let path = folder.path
    let result = SmallVolume.use(bytes: 262_144, at: path) { fill, free in
      Self.writeUntilFull(path + "/track.sqlite", fill, free)
    }
    let outcome = try #require(result)
    #expect(outcome.failure == SQLiteError.full(path: path + "/track.sqlite"))
    #expect(outcome.written == outcome.rows)
    #expect(PluginError(SQLiteError.full(path: path)).isTransient)
  }

  private static func writeUntilFull(_ path: String, _ fill: () -> Void, _ free: () -> Void) -> FullDisk {
    var outcome = FullDisk()
    do throws(SQLiteError) {
      let database = try TrackDatabase(path: path, bounds: .init())
      let batch = (0..<10).map { location($0) }
      fill()
      while outcome.failure == nil, outcome.written < 10_000 {
        do throws(SQLiteError) {
          try database.write(batch, now: nil)
          outcome.written += 10
        } catch {
          outcome.failure = error
        }
      }
      free()
      try database.write(batch, now: nil)
      outcome.written += 10
      let rows = try SQLiteDatabase(path: path, layout: TrackDatabase.layout)
        .rows("SELECT count(*) FROM track")
      outcome.rows = Int(rows[0][0].integer ?? -1)
    } catch {
      outcome.failure = error
    }
    return outcome
  }

  private struct FullDisk: Sendable {
    var failure: SQLiteError?
    var written = 0
    var rows = 0
  }

  @Test(.timeLimit(.minutes(5)))
  func `a program killed at any moment loses at most one SQLite batch`() async throws {
    let folder = try ScratchFolder()
    defer { TrackWriter.Plan.remove("sqlite") }
    let path = folder.path + "/track.sqlite"
    var random = SeededGenerator(seed: 20_261_121)
    var written = 0
    for round in 0..<100 {
      let microseconds = UInt32.random(in: 0...20_000, using: &random)
      let plan = TrackWriter.Plan(path: path, killedAfterMicroseconds: microseconds, atStart: round % 4 == 0)
      try plan.handOver(as: "sqlite")
      let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
        let plan = try TrackWriter.Plan(handedOverAs: "sqlite")
        await TrackWriter.run(plan) { SQLiteSinkTests.sink(plan.path) }
      }
      let reported = TrackWriter.reported(result)
      let notices = EventRecorder<String>()
      let sink = Self.sink(path, notices: notices)
      try await sink.start()
      await sink.stop()
      #expect(notices.events.isEmpty, "round \(round)")
      let count = try rows(path).count
      #expect(count >= written + reported / 10 * 10, "round \(round)")
      #expect((count - written) % 10 == 0, "round \(round): part of a batch")
      written = count
    }
    // The test is valid only if some programs wrote a batch before they were killed.
    #expect(written > 100)
  }
}
