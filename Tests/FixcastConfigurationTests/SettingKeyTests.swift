// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("SettingKey")
struct SettingKeyTests {
  @Test func `keys return the configured values as their Swift types`() throws {
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

  @Test func `missing keys return their default, or nil if they are optional`() throws {
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
    arguments: [
      ("interval_seconds", .string("10"), "expected seconds from 0 to 86400, got text in quotes"),
      (
        "interval_seconds", .integer(90_000),
        "90000 is out of range; expected seconds from 0 to 86400"
      ),
      (
        "interval_seconds", .number(-0.5),
        "-0.5 is out of range; expected seconds from 0 to 86400"
      ),
      (
        "interval_seconds", .number(.nan),
        "nan is out of range; expected seconds from 0 to 86400"
      ),
      (
        "interval_seconds", .number(.infinity),
        "inf is out of range; expected seconds from 0 to 86400"
      ),
      ("limit_bytes", .number(2048), "expected a whole number from 1024 to 1000000, got a number"),
      (
        "limit_bytes", .integer(.max),
        "9223372036854775807 is out of range; expected a whole number from 1024 to 1000000"
      ),
      (
        "format", .string("gxp"),
        #""gxp" is invalid; expected one of "gpx", "geojson"; did you mean "gpx"?"#
      ),
      ("format", .string("kml"), #""kml" is invalid; expected one of "gpx", "geojson""#),
      ("append", .integer(1), "expected true or false, got a whole number"),
      ("accuracy_metres", .boolean(true), "expected a number from 0 to 10000, got true or false"),
      (
        "fields", .string("speed"),
        #"expected a list in brackets, each "speed", "course", got text in quotes"#
      ),
      (
        "fields", .list([.string("speed"), .string("curse")]),
        #""curse" is invalid; expected one of "speed", "course"; did you mean "course"?"#
      ),
      ("password", .integer(1234), "expected text in quotes, got a whole number"),
    ] as [(String, SettingValue, String)])
  func `the error for a wrong value contains the file, the line, the key and the accepted values`(
    name: String, value: SettingValue, text: String
  ) {
    #expect(
      Track.error(["file": .string("a"), name: value])
        == "config.toml:13: sink.gpx.\(name): \(text)")
  }

  @Test func `the error for a missing key contains the key's summary and the line of the table`() {
    #expect(
      Track.error([:])
        == #"config.toml:11: sink.gpx: "file" is missing: output file"#)
    #expect(
      Track.error(["file": .string("")])
        == "config.toml:12: sink.gpx.file: empty is out of range; expected a path in quotes")
  }

  @Test func `a plugin can reject settings that cannot be combined`() {
    #expect(
      Track.error(["file": .string("a"), "format": .string("geojson")])
        == "config.toml:11: sink.gpx.append: cannot append to geojson; set append = false")
  }

  @Test func `the longest possible duration is read without a crash`() throws {
    let key = SettingKey.seconds("x", in: 0...Double.infinity, default: .infinity, summary: "x")
    #expect(try SettingsTable().value(of: key) == .seconds(1_000_000_000_000_000))
    let table = SettingsTable(entries: [SettingEntry("x", .number(1e300))])
    #expect(try table.value(of: key) == .seconds(1_000_000_000_000_000))
  }
}
