// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Pipeline
import Positioning
import Testing
import WeatherClient

@testable import Plugins

@Suite("Plugin settings")
struct PluginSettingsTests {
  private func sink(_ name: String, _ entries: [SettingEntry]) throws -> any Sink {
    let context = PluginContext(name: "mine", write: { _ in }, now: { .at(0) })
    let settings = SettingsTable("sink[0]", entries: entries)
    let plugin = try #require(PluginCatalog.plugin(.sink, name))
    return try #require(try plugin.specification(settings, context).maker.make() as? any Sink)
  }

  @Test func `every plugin key has a unique name and a summary`() throws {
    for (name, settings) in PluginCatalog.plugins.map({ ($0.name, $0.settings) }) {
      #expect(Set(settings.map(\.name)).count == settings.count, "\(name)")
      #expect(settings.allSatisfy { !$0.summary.isEmpty }, "\(name)")
    }
  }

  @Test(
    arguments: [
      ("gpx", [], #"sink[0]: "file" is missing"#),
      ("sqlite", [], #"sink[0]: "file" is missing"#),
      ("exec", [], #"sink[0]: "command" is missing"#),
      ("exec", [SettingEntry("command", .list([]))], "sink[0].command: must name a program"),
      (
        "exec",
        [
          SettingEntry("command", .list([.string("a")])),
          SettingEntry("environment", .list([.string("b")])),
        ], "sink[0].environment: expected NAME=value, but entry 1 has no name before ="
      ),
      (
        "exec",
        [
          SettingEntry("command", .list([.string("a")])), SettingEntry("hello", .boolean(false)),
          SettingEntry("hello_seconds", .integer(5)),
        ], "sink[0].hello_seconds: has no effect with hello = false; remove it"
      ),
      (
        "gpx",
        [
          SettingEntry("file", .string("/none/a.gpx")), SettingEntry("gap_seconds", .integer(5)),
          SettingEntry("interval_seconds", .integer(5)),
        ], "sink[0].gap_seconds: must be greater than interval_seconds"
      ),
      (
        "gpx", [SettingEntry("file", .string("/none/{date}/a.gpx"))],
        "sink[0].file: supports {date} and {start} only in the file name"
      ),
      (
        "gpx", [SettingEntry("file", .string("/none/{start}-{dat}.gpx"))],
        "sink[0].file: supports {date} and {start}, not {dat}; did you mean {date}?"
      ),
      (
        "gpx", [SettingEntry("file", .string("/none/{hostname}.gpx"))],
        "sink[0].file: supports {date} and {start}, not {hostname}"
      ),
      ("jsonlines", [SettingEntry("fsync", .string("alway"))], "sink[0].fsync: "),
      ("nmea", [], #"sink[0]: "destinations" is missing"#),
      ("nmea", [SettingEntry("destinations", .list([]))], "sink[0].destinations: needs 1 to 16 addresses"),
      (
        "nmea", [SettingEntry("destinations", .list([.string("plotter:10110")]))],
        #"sink[0].destinations: "plotter:10110" is not an IP address with a port"#
      ),
      (
        "nmea", [SettingEntry("destinations", .list([.string("239.1.2.3:10110")]))],
        #"sink[0].destinations: "239.1.2.3:10110" is a multicast address, and the service's unit "#
          + "does not allow it; use the address of a host, or the broadcast address of its network"
      ),
      (
        "nmea", [SettingEntry("destinations", .list([.string("[ff02::1]:10110")]))],
        #"sink[0].destinations: "[ff02::1]:10110" is a multicast address"#
      ),
      (
        "nmea", [SettingEntry("destinations", .list([.string("255.255.255.255:10110")]))],
        #"sink[0].destinations: "255.255.255.255:10110" is the broadcast address of all networks"#
      ),
      (
        "nmea", [SettingEntry("destinations", .list([.string("240.0.0.1:10110")]))],
        #"sink[0].destinations: "240.0.0.1:10110" is a reserved address"#
      ),
      (
        "nmea", [SettingEntry("destinations", .list([.string("0.0.0.0:10110")]))],
        #"sink[0].destinations: "0.0.0.0:10110" is not the address of a host"#
      ),
    ] as [(String, [SettingEntry], String)])
  func `wrong settings are rejected before a plugin opens anything, and the error names the key`(
    name: String, entries: [SettingEntry], message: String
  ) throws {
    let error = #expect(throws: SettingsError.self) { _ = try sink(name, entries) }
    #expect(error.map { "\($0)".hasPrefix(message) } == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test func `the environment of an exec sink or stage is secret`() throws {
    let settings = [
      PluginCatalog.plugin(.sink, "exec")?.settings,
      PluginCatalog.plugin(.stage, "exec")?.settings,
    ]
    for keys in settings {
      let key = try #require(keys?.first { $0.name == "environment" })
      #expect(key.isSecret && !key.isRequired)
      #expect(key.text(of: .list([.string("TOKEN=zebra")])) == Secret.mask)
    }
  }

  @Test func `creating a sink opens nothing; starting a sink whose folder is missing reports the file`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/none/file"
    for name in ["jsonlines", "sqlite"] {
      let sink = try sink(name, [SettingEntry("file", .string(path))])
      #expect(sink.name == "mine")
      let error = await #expect(throws: PluginError.self) { try await sink.start() }
      await sink.stop()
      #expect(error?.description.contains(path) == true)
      #expect(error?.isTransient == true)
    }
    #expect(folder.names().isEmpty)
  }

  @Test func `the JSON lines sink writes to a file and rotates it`() async throws {
    let folder = try ScratchFolder()
    let sink = try sink(
      "jsonlines",
      [
        SettingEntry("file", .string(folder.path + "/a")),
        SettingEntry("limit_bytes", .integer(100)), SettingEntry("keep_files", .integer(1)),
        SettingEntry("fsync", .string("interval")),
      ])
    try await sink.start()
    for number in 0..<5 {
      try await sink.receive(ErrorEvent(source: "a", message: "number \(number)"))
    }
    await sink.stop()
    #expect(folder.names() == ["a", "a.1"])
    #expect(try folder.read("a") == #"{"class":"ERROR","message":"number 4","source":"a"}"# + "\n")
  }

  @Test func `every plugin can be created from the examples of its required keys`() throws {
    func table(_ settings: [SettingDeclaration]) throws -> SettingsTable {
      SettingsTable(
        entries: try settings.filter(\.isRequired).map {
          SettingEntry($0.name, try #require($0.example))
        })
    }
    let context = PluginContext(now: { .at(0) })
    for plugin in PluginCatalog.plugins {
      let made = try plugin.specification(try table(plugin.settings), context).maker.make()
      let name = (made as? any Sink)?.name ?? (made as? any Stage)?.name
      #expect((name ?? (made as? any Gate)?.name) == plugin.name)
    }
  }

  @Test func `the minimum lookup interval must not exceed the maximum age`() throws {
    let context = PluginContext(now: { .at(0) })
    let plugin = try #require(PluginCatalog.plugin(.stage, "weather"))
    let table = SettingsTable(entries: [
      SettingEntry("max_age_seconds", .integer(60)), SettingEntry("min_seconds", .integer(61)),
    ])
    #expect(throws: SettingsError.self) {
      _ = try plugin.specification(table, context).maker.make()
    }
  }

  @Test func `an exec command is created from settings`() throws {
    let command = try ExecCommand(
      SettingsTable(entries: [
        SettingEntry("command", .list([.string("/bin/cat"), .string("-")])),
        SettingEntry("environment", .list([.string("A=b=c")])),
        SettingEntry("kill_seconds", .number(0.5)),
      ]))
    #expect(command.words == ["/bin/cat", "-"])
    #expect(command.environment == ["A": "b=c"])
    #expect(command.killSeconds == 0.5)
    #expect(command.helloSeconds == 10)
  }

  @Test(
    arguments: [
      // The settings, and the resulting close and kill times.
      ([:], 2, 2.5), (["close_seconds": 4], 4, 0.5), (["close_seconds": 4.5], 4.5, 0),
      (["close_seconds": 1], 1, 2.5), (["kill_seconds": 2.5], 2, 2.5),
      (["close_seconds": 1.5, "kill_seconds": 3], 1.5, 3),
      (["close_seconds": 4.6], nil, nil), (["kill_seconds": 3.1], nil, nil),
      (["kill_seconds": 2.6], nil, nil), (["close_seconds": 4, "kill_seconds": 1], nil, nil),
    ] as [([String: Double], Double?, Double?)])
  func `close_seconds and kill_seconds must fit into the stop deadlines`(
    values: [String: Double], close: Double?, kill: Double?
  ) throws {
    let settings = SettingsTable(
      entries: [SettingEntry("command", .list([.string("/bin/cat")]))]
        + values.map { SettingEntry($0.key, .number($0.value)) })
    guard let close, let kill else {
      #expect(throws: SettingsError.self) { _ = try ExecCommand(settings) }
      return
    }
    let command = try ExecCommand(settings)
    #expect(command.closeSeconds == close && command.killSeconds == kill)
    #expect(.seconds(close + kill) < StopPolicy().drain)
    #expect(.seconds(kill) < StopPolicy().cancel)
  }

  @Test func `the error for close_seconds plus kill_seconds being too long mentions both keys`() {
    let error = #expect(throws: SettingsError.self) {
      _ = try sink(
        "exec",
        [
          SettingEntry("command", .list([.string("a")])),
          SettingEntry("close_seconds", .integer(4)), SettingEntry("kill_seconds", .integer(1)),
        ])
    }
    #expect(
      error?.description == "sink[0].kill_seconds: plus close_seconds must be at most 4.5; "
        + "reduce one of them")
  }
}
