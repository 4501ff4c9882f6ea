// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import LocationServices
import Pipeline
import Plugins
import Positioning
import Testing

/// The `fixcast track export` command, run as a child process on the files of real sinks.
@Suite struct TrackCommandTests {
  private static func location(_ second: Int64) -> Location {
    .at(54.25, 10 + Double(second) / 1000, time: .noon(plus: second)) {
      ($0.mode, $0.altitudeMetersAboveSeaLevel) = (.threeDimensional, 4.5)
      $0.source = "/dev/ttyUSB<0>"
    }
  }

  private static func fill(_ sink: any Sink, count: Int64, isReplayed: Bool = false) async throws {
    try await sink.start()
    for second in 0..<count {
      var location = location(second)
      (location.isSimulated, location.isReplayed) = (isReplayed, isReplayed)
      try await sink.receive(LocationEvent(location))
    }
    await sink.stop()
  }

  private static func sink(_ file: String, isSQLite: Bool) -> any Sink {
    guard isSQLite else {
      return GPXSink(options: .init(file: file), now: { .at(0) })
    }
    var options = SQLiteSink.Options(file: file)
    options.commitSeconds = 0
    return SQLiteSink(options: options, now: { .at(0) })
  }

  @Test(arguments: [true, false])
  func `track export marks replayed and simulated locations`(isSQLite: Bool) async throws {
    let folder = try ScratchFolder()
    let file = folder.path + "/track"
    try await Self.fill(Self.sink(file, isSQLite: isSQLite), count: 2, isReplayed: true)
    let csv = try await Program.run("track", "export", file, "--format", "csv")
    #expect(csv.lines.dropFirst().allSatisfy { $0.hasSuffix(",true,true\r") }, "\(csv.lines)")
    let gpx = try await Program.run("track", "export", file)
    #expect(gpx.lines.contains { $0.contains("(simulated, recorded)</name>") }, "\(gpx.lines)")
    let json = try await Program.run("track", "export", file, "--format", "geojson")
    #expect(json.lines.joined().contains(#""simulated":true,"replayed":true"#), "\(json.lines)")
  }

  @Test(arguments: [true, false])
  func `track export writes no control characters of the receiver's name`(isSQLite: Bool) async throws {
    let folder = try ScratchFolder()
    let file = folder.path + "/track"
    let sink = Self.sink(file, isSQLite: isSQLite)
    try await sink.start()
    var location = Self.location(0)
    location.source = "/dev/\u{1B}[31m\u{7}tty\u{202E}\",=cmd"
    try await sink.receive(LocationEvent(location))
    await sink.stop()
    for format in ["csv", "gpx", "geojson"] {
      let output = try await Program.run("track", "export", file, "--format", format)
      let text = output.lines.joined(separator: "\n")
      #expect(text.contains("tty") && text.contains("=cmd"), "\(text)")
      for control in ["\u{1B}", "\u{7}", "\u{202E}", "\\u001b"] {
        #expect(!text.contains(control), "\(format)")
      }
    }
  }

  @Test func `track export does not follow a link to a database`() async throws {
    let folder = try ScratchFolder()
    let file = folder.path + "/track"
    try await Self.fill(Self.sink(file, isSQLite: true), count: 1)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: file)
    let output = try await Program.run("track", "export", folder.path + "/link")
    #expect(output.code == 66, "\(output)")
    #expect(output.lines.contains { $0.contains("symbolic link") }, "\(output)")
    // A link in the path of the folder is followed.
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/folder", withDestinationPath: folder.path)
    let linked = try await Program.run("track", "export", folder.path + "/folder/track")
    #expect(linked.code == 0, "\(linked)")
  }

  @Test(arguments: [true, false])
  func `track export writes the track of each sink in each format`(isSQLite: Bool) async throws {
    let folder = try ScratchFolder()
    let file = folder.path + "/a track%20.file"
    let sink = Self.sink(file, isSQLite: isSQLite)
    // More rows than the reader takes at once.
    try await Self.fill(sink, count: 1500)
    let gpx = try await Program.run("track", "export", file)
    #expect(gpx.code == 0 && gpx.lines.count { $0.hasPrefix("<trkpt ") } == 1500)
    #expect(gpx.lines.contains { $0.contains("<src>/dev/ttyUSB&lt;0&gt;</src>") })
    let csv = try await Program.run("track", "export", file, "--format", "csv")
    #expect(csv.lines.count == 1501)
    #expect(csv.lines[2].hasPrefix("2026-11-21T12:00:01Z,54.25000000,10.00100000,4.50,"))
    let json = try await Program.run("track", "export", file, "--format", "geojson")
    #expect(json.lines.joined().contains("[[10.00000000,54.25000000],[10.00100000,54.25000000]"))

    let part = try await Program.run(
      "track", "export", file, "--format", "csv", "--since", "2026-11-21T12:00:10Z", "--until",
      "2026-11-21T12:00:12Z")
    #expect(
      part.lines.dropFirst().map { $0.prefix(20) } == [
        "2026-11-21T12:00:10Z", "2026-11-21T12:00:11Z", "2026-11-21T12:00:12Z",
      ])
    let none = try await Program.run("track", "export", file, "--until", "2026-11-21")
    #expect(none.code == 65)
    #expect(none.lines == ["fixcast: \(file): no location between the times"])
  }

  @Test func `track export reads an SQLite track while its sink writes, and changes nothing`() async throws {
    let folder = try ScratchFolder()
    let file = folder.path + "/track.sqlite"
    var options = SQLiteSink.Options(file: file)
    options.commitSeconds = 0
    let sink = SQLiteSink(options: options, now: { .at(0) })
    try await sink.start()
    for second in 0..<3 { try await sink.receive(LocationEvent(Self.location(Int64(second)))) }
    try await sink.write()
    let csv = try await Program.run("track", "export", file, "--format", "csv")
    #expect(csv.lines.count == 4, "\(csv.lines)")
    try await sink.receive(LocationEvent(Self.location(3)))
    await sink.stop()
  }

  @Test func `track export reports a file that is no track, and a configuration without a track`() async throws {
    let folder = try ScratchFolder()
    try folder.write("notes.txt", "notes\n")
    let text = try await Program.run("track", "export", folder.path + "/notes.txt")
    #expect(text.code == 65)
    #expect(text.lines.first?.hasSuffix("notes.txt: not a track of a sqlite or gpx sink") == true)
    let none = try await Program.run("track", "export", folder.path + "/none")
    #expect(none.code == 66 && none.lines.count == 1, "\(none.lines)")
    let configured = try await Program.run("track", "export", environment: ["FIXCAST_ROOT": folder.path])
    #expect(configured.code == 78)
    #expect(configured.lines.first?.contains("no sqlite or gpx sink; name the file: fixcast track") == true)
  }

  @Test func `track export without a file reads the sink of the configuration`() async throws {
    let folder = try ScratchFolder()
    let file = folder.path + "/track.gpx"
    let sink = GPXSink(options: .init(file: file), now: { .at(0) })
    try await Self.fill(sink, count: 2)
    try folder.makeFolder("etc")
    try folder.makeFolder("etc/fixcast")
    try folder.write("etc/fixcast/config.toml", "[[sink]]\ntype = \"gpx\"\nfile = \"\(file)\"\n")
    let csv = try await Program.run("track", "export", "--format", "csv", environment: ["FIXCAST_ROOT": folder.path])
    #expect(csv.code == 0 && csv.lines.count == 3, "\(csv.lines)")
    try folder.write("etc/fixcast/config.toml", "[[sink]]\ntype = \"gpx\"\nfle = 1\nfile = \"/a\"\n")
    let invalid = try await Program.run("track", "export", environment: ["FIXCAST_ROOT": folder.path])
    #expect(invalid.code == 78, "\(invalid.lines)")
    #expect(invalid.lines.first?.contains("config.toml:3: sink.gpx: unknown key") == true)
  }
}
