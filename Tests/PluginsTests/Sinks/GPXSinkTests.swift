// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import Plugins

@Suite("GPX sink")
struct GPXSinkTests {
  private static let noon = UTCTime(secondsSince1970: 1_763_726_400)

  private static func location(_ second: Int64, source: String? = "/dev/ttyACM0") -> Location {
    let time = UTCTime(secondsSince1970: noon.secondsSince1970 + second)
    return .at(51.5 + Double(second) * 1e-5, -0.12, time: time) { $0.source = source }
  }

  private static func sink(_ file: String, gapSeconds: Double = 60, syncSeconds: Double = 0) -> GPXSink {
    var options = GPXSink.Options(file: file)
    options.gapSeconds = gapSeconds
    options.syncSeconds = syncSeconds
    return GPXSink(options: options, now: { .at(0) })
  }

  private func document(_ folder: borrowing ScratchFolder, _ name: String) throws -> GPXDocument {
    try GPXDocument(try folder.bytes(name))
  }

  @Test func `removing the last addition removes a point, or deletes the file that the addition created`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/a.gpx"
    let first = Self.location(0)
    func open() throws -> GPXFile {
      try GPXFile.open(path, track: GPXText.track(from: first), point: GPXText.point(first))
    }
    try open().removeLastAddition()
    #expect(folder.names().isEmpty)
    var file: GPXFile? = try open()
    let whole = try folder.read("a.gpx")
    try file?.append(GPXText.point(Self.location(1)))
    let longer = try folder.read("a.gpx")
    file?.removeLastAddition()
    #expect(try folder.read("a.gpx") == whole && whole != longer)
    try file?.append(GPXText.point(Self.location(1)))
    #expect(try folder.read("a.gpx") == longer)
    file = nil
    // The file exists, so only the addition is removed.
    try open().removeLastAddition()
    #expect(try folder.read("a.gpx") == longer)
  }

  @Test func `a GPX point contains exactly the known values, in the order of the schema`() async throws {
    let folder = try ScratchFolder()
    var full = Self.location(0)
    full.mode = .threeDimensional
    full.altitudeMetersAboveSeaLevel = 35.25
    full.altitudeMetersAboveEllipsoid = 80.5
    full.dilution.horizontal = 1.1
    full.dilution.position = 2
    full.satellitesUsed = 8
    full.speedMetersPerSecond = 3
    var bare = Self.location(2)
    bare.time = nil
    bare.receivedAt = .at(0)
    // A height above the ellipsoid is not a height above sea level.
    bare.altitudeMetersAboveEllipsoid = 80.5
    var differential = Self.location(4)
    differential.status = .rtkFixed
    differential.correctionAgeSeconds = 1.5
    let sink = Self.sink(folder.path + "/a.gpx")
    for location in [full, bare, differential] { try await sink.receive(LocationEvent(location)) }
    await sink.stop()
    let parsed = try document(folder, "a.gpx")
    #expect(parsed.attributes["version"] == "1.1")
    #expect(parsed.attributes["xmlns"] == "http://www.topografix.com/GPX/1/1")
    #expect(
      parsed.orders == [
        ["ele", "time", "fix", "sat", "hdop", "pdop"], ["fix"], ["time", "fix", "ageofdgpsdata"],
      ])
    let point = "gpx/trk/trkseg/trkpt/"
    #expect(parsed.texts[point + "ele"] == ["35.25"])
    #expect(parsed.texts[point + "time"] == ["2025-11-21T12:00:00Z", "2025-11-21T12:00:04Z"])
    #expect(parsed.texts[point + "fix"] == ["3d", "2d", "dgps"])
    #expect(parsed.texts[point + "sat"] == ["8"])
    #expect(parsed.texts[point + "hdop"] == ["1.10"])
    #expect(parsed.positions.first == ["lat": "51.50000000", "lon": "-0.12000000"])
    #expect(parsed.texts["gpx/trk/src"] == ["/dev/ttyACM0"])
  }

  @Test func `longitude 180 is written as -180, as the GPX schema requires`() {
    #expect(GPXText.point(.at(0, 180)).contains("lon=\"-180.00000000\""))
    #expect(GPXText.point(.at(0, 179.999_999_999)).contains("lon=\"-180.00000000\""))
  }

  @Test func `a leap second is written as second 59, since the GPX schema has no leap seconds`() throws {
    let date = try #require(UTCDate(year: 2016, month: 12, day: 31))
    let clock = try #require(UTCTimeOfDay(hour: 23, minute: 59, second: 60, nanosecond: 250_000_000))
    #expect(GPXText.time(UTCTime(date: date, timeOfDay: clock)) == "2016-12-31T23:59:59.250Z")
  }

  @Test func `a gap and a time that goes backwards begin a segment; another receiver begins a track`() async throws {
    let folder = try ScratchFolder()
    let sink = Self.sink(folder.path + "/a.gpx", gapSeconds: 60)
    for second in [0, 1, 61, 122, 100, 101] as [Int64] {
      try await sink.receive(LocationEvent(Self.location(second)))
    }
    for (second, source) in [(110, "other"), (111, "other"), (111, nil)] as [(Int64, String?)] {
      try await sink.receive(LocationEvent(Self.location(second, source: source)))
    }
    #expect(try document(folder, "a.gpx").tracks == [[3, 1, 2], [2], [1]])
  }

  @Test func `at most one location per minimum interval becomes a GPX point`() async throws {
    let folder = try ScratchFolder()
    let sink = Self.sink(folder.path + "/a.gpx")
    for tenth in 0..<50 {
      var location = Self.location(0)
      location.time = UTCTime(
        secondsSince1970: Self.noon.secondsSince1970 + Int64(tenth / 10),
        nanosecond: UInt32(tenth % 10) * 100_000_000)
      try await sink.receive(LocationEvent(location))
    }
    #expect(try document(folder, "a.gpx").points == 5)
  }

  @Test func `simulated locations are in a separate track marked as simulated, and names are escaped`() async throws {
    let folder = try ScratchFolder()
    let sink = Self.sink(folder.path + "/a.gpx")
    var location = Self.location(0, source: "a<b>&\"c'\u{1}\u{FFFE}?>")
    location.isSimulated = true
    try await sink.receive(LocationEvent(location))
    try await sink.receive(LocationEvent(Self.location(1)))
    let parsed = try document(folder, "a.gpx")
    #expect(parsed.tracks == [[1], [1]])
    #expect(
      parsed.texts["gpx/trk/name"] == [
        "fixcast 2025-11-21 12:00:00Z (simulated)", "fixcast 2025-11-21 12:00:01Z",
      ])
    #expect(parsed.texts["gpx/trk/desc"] == ["simulated, not recorded by a receiver"])
    #expect(parsed.texts["gpx/trk/src"] == ["a<b>&\"c'\u{FFFD}\u{FFFD}?>", "/dev/ttyACM0"])
  }

  @Test func `replayed locations are in a separate track marked as recorded`() async throws {
    let folder = try ScratchFolder()
    let sink = Self.sink(folder.path + "/a.gpx")
    var location = Self.location(0)
    location.isReplayed = true
    try await sink.receive(LocationEvent(location))
    try await sink.receive(LocationEvent(Self.location(1)))
    let parsed = try document(folder, "a.gpx")
    #expect(parsed.tracks == [[1], [1]])
    #expect(parsed.texts["gpx/trk/name"]?.first == "fixcast 2025-11-21 12:00:00Z (recorded)")
    #expect(parsed.texts["gpx/trk/desc"] == ["replayed from a recording"])
  }

  @Test func `a GPX file name can contain the date and the start time`() async throws {
    let folder = try ScratchFolder()
    let sink = Self.sink(folder.path + "/{date}-{start}.gpx")
    for second in [0, 43_199, 43_200] as [Int64] {
      try await sink.receive(LocationEvent(Self.location(second)))
    }
    #expect(folder.names() == ["2025-11-21-20251121T120000Z.gpx", "2025-11-22-20251121T120000Z.gpx"])
    #expect(try document(folder, "2025-11-22-20251121T120000Z.gpx").points == 1)
  }

  @Test func `a full file is rotated as a whole, and the configured number of files is kept`() async throws {
    let folder = try ScratchFolder()
    var options = GPXSink.Options(file: folder.path + "/a.gpx")
    options.limitBytes = 10_000
    options.keepFiles = 2
    let sink = GPXSink(options: options, now: { .at(0) })
    for second in 0..<500 { try await sink.receive(LocationEvent(Self.location(Int64(second)))) }
    await sink.stop()
    #expect(try names(folder) == ["a.gpx", "a.gpx.1", "a.gpx.2"])
    var times: [String] = []
    for name in ["a.gpx.2", "a.gpx.1", "a.gpx"] {
      let (bytes, parsed) = (try folder.bytes(name), try document(folder, name))
      #expect(bytes.count <= 10_000 && parsed.points > 0)
      times += parsed.texts["gpx/trk/trkseg/trkpt/time"] ?? []
    }
    // The remaining files contain consecutive points, up to the last point.
    #expect(times == times.sorted() && Set(times).count == times.count)
    #expect(times.last == "2025-11-21T12:08:19Z")
    let first = try #require(
      times.first.flatMap { time in
        (0..<500).first { GPXText.time(Self.location(Int64($0)).time ?? Self.noon) == time }
      })
    #expect(times.count == 500 - first && first > 0)
  }

  @Test func `the configured number of daily files is kept, and files that the sink did not write stay`() async throws {
    let folder = try ScratchFolder()
    try folder.write("2001-01-01.gpx", "<gpx>not ours</gpx>")
    try folder.write("2001-01-02.gpx.bak", "")
    var options = GPXSink.Options(file: folder.path + "/{date}.gpx")
    options.keepFiles = 3
    let sink = GPXSink(options: options, now: { .at(0) })
    for day in 0..<9 {
      try await sink.receive(LocationEvent(Self.location(Int64(day) * 86_400)))
    }
    await sink.stop()
    let expected = ["2001-01-01.gpx", "2001-01-02.gpx.bak"] + (26...29).map { "2025-11-\($0).gpx" }
    #expect(try names(folder) == expected)
  }

  private func names(_ folder: borrowing ScratchFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func `without a known time, no point is written to a file with a date in its name`() async throws {
    let folder = try ScratchFolder()
    let sink = Self.sink(folder.path + "/{date}.gpx")
    try await sink.receive(LocationEvent(.at(1, 2)))
    #expect(folder.names() == [])
  }

  @Test func `a GPX file is not created before the first location`() async throws {
    let folder = try ScratchFolder()
    let sink = Self.sink(folder.path + "/a.gpx")
    try await sink.receive(NoFixEvent(Fix(mode: .none)))
    try await sink.receive(ErrorEvent(source: "a", message: "b"))
    await sink.stop()
    #expect(folder.names() == [])
  }

  @Test func `after a restart, a new track is added to the same GPX file`() async throws {
    let folder = try ScratchFolder()
    for start in 0..<3 {
      let sink = Self.sink(folder.path + "/a.gpx")
      for second in 0..<40 {
        try await sink.receive(LocationEvent(Self.location(Int64(start * 100 + second))))
      }
      await sink.stop()
    }
    #expect(try document(folder, "a.gpx").tracks == [[40], [40], [40]])
  }

  @Test(arguments: [
    "a letter\n", "<?xml version=\"1.0\"?><gpx creator=\"other\"></gpx>",
    "\0\0\0<trkpt></trkpt></trkseg></trk></gpx>\n",
  ])
  func `a file that Fixcast did not write or that is damaged beyond repair is not changed`(_ text: String) async throws
  {
    let folder = try ScratchFolder()
    try folder.write("a.gpx", text)
    let sink = Self.sink(folder.path + "/a.gpx")
    try await sink.receive(LocationEvent(Self.location(0)))
    try await sink.receive(LocationEvent(Self.location(1)))
    #expect(try folder.read("a.gpx") == text)
    #expect(try document(folder, "a-2.gpx").tracks == [[2]])
  }

  @Test func `a GPX file that was cut before its first point is filled again`() async throws {
    let folder = try ScratchFolder()
    let first = Self.location(0)
    let whole = GPXText.header + GPXText.track(from: first)
    for count in [0, 1, 100, GPXText.header.utf8.count] + [2, 30].map({ whole.utf8.count - $0 }) {
      for zeros in [0, 1500] {
        try folder.write("a.gpx", bytes: whole.utf8.prefix(count) + [UInt8](repeating: 0, count: zeros))
        let sink = Self.sink(folder.path + "/a.gpx")
        try await sink.receive(LocationEvent(first))
        try await sink.receive(LocationEvent(Self.location(1)))
        await sink.stop()
        #expect(try document(folder, "a.gpx").tracks == [[2]], "\(count), \(zeros)")
      }
    }
    #expect(try names(folder) == ["a.gpx"])
  }

  @Test func `a sink cannot open a GPX file that another sink has open, even after a rotation`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/a.gpx"
    var options = GPXSink.Options(file: path)
    (options.limitBytes, options.keepFiles) = (1500, 1)
    let one = GPXSink(options: options, now: { .at(0) })
    for second in 0..<20 as Range<Int64> {
      try await one.receive(LocationEvent(Self.location(second)))
      // Start a second sink while the first sink has the file open.
      let other = Self.sink(path)
      let error = await #expect(throws: PluginError.self) {
        try await other.receive(LocationEvent(Self.location(100)))
      }
      #expect(error == PluginError(.transient(), "", why: "\(path): in use by another sink or another fixcast"))
    }
    await one.stop()
    #expect(try names(folder) == ["a.gpx", "a.gpx.1"])
    let before = try document(folder, "a.gpx").tracks
    let later = Self.sink(path)
    try await later.receive(LocationEvent(Self.location(100)))
    await later.stop()
    #expect(try document(folder, "a.gpx").tracks == before + [[1]])
  }

  @Test func `a GPX file that was moved is created again`() async throws {
    let folder = try ScratchFolder()
    let sink = Self.sink(folder.path + "/a.gpx")
    try await sink.receive(LocationEvent(Self.location(0)))
    #expect(rename(folder.path + "/a.gpx", folder.path + "/b.gpx") == 0)
    try await sink.receive(LocationEvent(Self.location(1)))
    #expect(try document(folder, "a.gpx").points == 1)
    #expect(try document(folder, "b.gpx").points == 1)
  }

  @Test(.enabled(if: SmallVolume.isPermitted, "creating a volume is not permitted here"))
  func `on a full disk a GPX file is not created, or stays well-formed`() async throws {
    let volume = try #require(SmallVolume(bytes: 40_960))
    volume.fill()
    let sink = Self.sink(volume.path + "/a.gpx")
    // The file was not created.
    await #expect(throws: PluginError.self) {
      try await sink.receive(LocationEvent(Self.location(0)))
    }
    volume.remove()
    var written = 0
    let failure = await #expect(throws: PluginError.self) {
      for second in 1..<10_000 as Range<Int64> {
        try await sink.receive(LocationEvent(Self.location(second)))
        written += 1
      }
    }
    #expect(failure?.isTransient == true)
    #expect(written > 100)
    let path = volume.path + "/a.gpx"
    #expect(try GPXDocument(contentsOf: path).points == written)
  }

  /// Runs programs that write as fast as possible, and kills each program at a random moment.
  @Test(.timeLimit(.minutes(5)))
  func `a program killed at any moment leaves a well-formed GPX file`() async throws {
    let folder = try ScratchFolder()
    defer { TrackWriter.Plan.remove("gpx") }
    var random = SeededGenerator(seed: 20_261_121)
    var (points, total) = (0, 0)
    for round in 0..<100 {
      // Use a new file after ten starts, because large files take long to read.
      let name = "\(round / 10).gpx"
      let path = folder.path + "/" + name
      if round % 10 == 0 { points = 0 }
      let microseconds = UInt32.random(in: 0...20_000, using: &random)
      let plan = TrackWriter.Plan(path: path, killedAfterMicroseconds: microseconds, atStart: round % 4 == 0)
      try plan.handOver(as: "gpx")
      let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
        let plan = try TrackWriter.Plan(handedOverAs: "gpx")
        await TrackWriter.run(plan) { GPXSinkTests.sink(plan.path, syncSeconds: 60) }
      }
      let reported = TrackWriter.reported(result)
      guard folder.names().contains(name) else {
        #expect(reported == 0)
        continue
      }
      let parsed = try GPXDocument(try folder.bytes(name))
      // One more point may have been written but not reported.
      #expect((points + reported...points + reported + 1).contains(parsed.points), "round \(round)")
      total += parsed.points - points
      points = parsed.points
    }
    // The test is valid only if some programs wrote a point before they were killed.
    #expect(total > 100)
  }
}
