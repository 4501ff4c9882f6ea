// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("SettingKey")
struct SettingKeyTests {
  @Test("gives what is written, in its type")
  func written() throws {
    let track = try Track(
      Track.table([
        "file": .string("/var/log/a.gpx"), "interval_seconds": .number(1.5),
        "limit_bytes": .integer(2048), "format": .string("geojson"),
        "accuracy_metres": .integer(25), "append": .boolean(false),
        "fields": .list([.string("speed")]), "password": .string("hunter2"),
      ]))
    #expect(track.file == "/var/log/a.gpx")
    #expect(track.interval == .milliseconds(1500))
    #expect(track.limit == 2048)
    #expect(track.format == .geojson)
    #expect(track.accuracy == 25)
    #expect(track.append == false)
    #expect(track.fields == ["speed"])
    #expect(track.password?.exposed == "hunter2")
  }

  @Test("gives the default where nothing is written, and nil where it is optional")
  func defaults() throws {
    let track = try Track(Track.table(["file": .string("a")]))
    #expect(track.interval == .seconds(10))
    #expect(track.limit == 65_536)
    #expect(track.format == .gpx)
    #expect(track.accuracy == nil)
    #expect(track.append)
    #expect(track.fields.isEmpty)
    #expect(track.password == nil)
  }

  @Test(
    "says file, line, key and what it takes",
    arguments: [
      ("interval_seconds", .string("10"), "takes seconds from 0 to 86400, not text in quotes"),
      (
        "interval_seconds", .integer(90_000),
        "90000 is out of range; takes seconds from 0 to 86400"
      ),
      (
        "interval_seconds", .number(-0.5),
        "-0.5 is out of range; takes seconds from 0 to 86400"
      ),
      (
        "interval_seconds", .number(.nan),
        "nan is out of range; takes seconds from 0 to 86400"
      ),
      (
        "interval_seconds", .number(.infinity),
        "inf is out of range; takes seconds from 0 to 86400"
      ),
      ("limit_bytes", .number(2048), "takes a whole number from 1024 to 1000000, not a number"),
      (
        "limit_bytes", .integer(.max),
        "9223372036854775807 is out of range; takes a whole number from 1024 to 1000000"
      ),
      (
        "format", .string("gxp"),
        #""gxp" is none of "gpx", "geojson"; did you mean "gpx"?"#
      ),
      ("format", .string("kml"), #""kml" is none of "gpx", "geojson""#),
      ("append", .integer(1), "takes true or false, not a whole number"),
      ("accuracy_metres", .boolean(true), "takes a number from 0 to 10000, not true or false"),
      (
        "fields", .string("speed"),
        #"takes a list in brackets, each "speed", "course", not text in quotes"#
      ),
      (
        "fields", .list([.string("speed"), .string("curse")]),
        #""curse" is none of "speed", "course"; did you mean "course"?"#
      ),
      ("password", .integer(1234), "takes text in quotes, not a whole number"),
    ] as [(String, SettingValue, String)])
  func wrong(name: String, value: SettingValue, text: String) {
    #expect(
      Track.error(["file": .string("a"), name: value])
        == "config.toml:13: sink.gpx.\(name): \(text)")
  }

  @Test("says what a missing key is for, and where the table begins")
  func missing() {
    #expect(
      Track.error([:])
        == #"config.toml:11: sink.gpx: "file" is missing: where the track is written"#)
    #expect(
      Track.error(["file": .string("")])
        == "config.toml:12: sink.gpx.file: empty is out of range; takes a path in quotes")
  }

  @Test("lets a plugin say what excludes each other")
  func conflict() {
    #expect(
      Track.error(["file": .string("a"), "format": .string("geojson")])
        == "config.toml:11: sink.gpx.append: cannot go on with geojson; try append = false")
  }

  @Test("reads the longest time without a trap")
  func longest() throws {
    let key = SettingKey.seconds("x", in: 0...Double.infinity, default: .infinity, summary: "x")
    #expect(try SettingsTable().value(of: key) == .seconds(1_000_000_000_000_000))
    let table = SettingsTable(entries: [SettingEntry("x", .number(1e300))])
    #expect(try table.value(of: key) == .seconds(1_000_000_000_000_000))
  }
}
