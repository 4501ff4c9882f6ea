// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Logging
import Pipeline
import Testing
import WeatherClientLive

@Suite("DaemonConfiguration")
struct DaemonConfigurationTests {
  @Test func `an empty configuration has the automatic source and the default plugins`() throws {
    let configuration = try TestCatalog.read("").get()
    #expect(configuration.sources == [.standard])
    #expect(configuration.daemon.socket == "/run/fixcast/fixcast.sock")
    #expect(configuration.daemon.logLevel == .info)
    #expect(configuration.weather.isEnabled)
    #expect(configuration.weather.providers.map(\.name) == ["openmeteo"])
    #expect(configuration.plugins.map(\.name) == ["place", "reachability", "weather"])
  }

  @Test func `gates of a file run before the default plugins, and stages of a file run after them`() throws {
    let configuration = try TestCatalog.read(
      """
      [[stage]]
      type = "place"
      name = "second"
      [[gate]]
      type = "accuracy"
      limit_metres = 5
      [[sink]]
      type = "log"
      """
    ).get()
    #expect(
      configuration.plugins.map(\.name) == [
        "accuracy", "place", "reachability", "weather", "second", "log",
      ])
  }

  @Test func `a table with the name of a default plugin replaces that plugin in its position`() throws {
    let configuration = try TestCatalog.read(
      """
      [[gate]]
      name = "reachability"
      type = "accuracy"
      limit_metres = 5
      [[stage]]
      type = "weather"
      timeout_seconds = 2
      """
    ).get()
    #expect(configuration.plugins.map(\.name) == ["place", "reachability", "weather"])
    #expect(configuration.plugins.map(\.type) == ["place", "accuracy", "weather"])
    #expect(configuration.plugins.last?.timeout == .seconds(2))
  }

  @Test func `enabled = false removes a default plugin, and a plugin of the file`() throws {
    let configuration = try TestCatalog.read(
      """
      [[gate]]
      type = "reachability"
      enabled = false
      [[sink]]
      type = "log"
      enabled = false
      """
    ).get()
    #expect(configuration.plugins.map(\.name) == ["place", "weather"])
  }

  @Test func `with weather disabled, default plugins that need weather do not run`() throws {
    let configuration = try TestCatalog.read("[weather]\nenabled = false").get()
    #expect(configuration.plugins.map(\.name) == ["place"])
  }

  @Test func `all sections and keys are read`() throws {
    let configuration = try TestCatalog.read(
      """
      [daemon]
      log_level = "debug"
      [[source]]
      name = "roof"
      type = "serial"
      device = "/dev/ttyACM0"
      baud = 9600
      [[source]]
      type = "gpsd"
      port = 2948
      [weather]
      providers = ["metnorway", "openmeteo"]
      contact = "you@example.org"
      [weather.openmeteo]
      base_url = "http://192.0.2.1"
      key = "zebra"
      [[gate]]
      type = "accuracy"
      limit_metres = 50
      [[stage]]
      type = "weather"
      timeout_seconds = 2.5
      [[sink]]
      type = "gpx"
      file = "/a.gpx"
      required = true
      [[sink]]
      type = "gpx"
      name = "second"
      file = "/b.gpx"
      """
    ).get()
    #expect(configuration.daemon.logLevel == .debug)
    #expect(
      configuration.sources.map { "\($0.specification)" } == ["serial:/dev/ttyACM0@9600", "gpsd:localhost:2948"])
    #expect(configuration.sources.map(\.name) == ["roof", "gpsd:localhost:2948"])
    #expect(configuration.weather.providers.map(\.name) == ["metnorway", "openmeteo"])
    #expect(configuration.weather.providers.last?.configuration.key == "zebra")
    #expect(configuration.plugins(.gate).map(\.type) == ["accuracy", "reachability"])
    #expect(configuration.plugins(.stage).last?.timeout == .milliseconds(2500))
    #expect(configuration.plugins(.sink).map(\.name) == ["gpx", "second"])
    #expect(configuration.plugins(.sink).map(\.isRequired) == [true, false])
    #expect(configuration.plugins(.sink).last?.settings["file"]?.value == .string("/b.gpx"))
    #expect(configuration.plugins(.sink).last?.settings["name"] == nil)
    #expect(!"\(configuration)".contains("zebra"))
  }

  @Test func `a serial source may accept sentences without a checksum, other sources may not`()
    throws
  {
    let source = "[[source]]\ntype = \"serial\"\ndevice = \"/dev/a\"\n"
    for (text, isAllowed) in [
      ("", false), ("checksum = \"required\"\n", false), ("checksum = \"optional\"\n", true),
    ] {
      #expect(
        try TestCatalog.read(source + text).get().sources.map(\.specification) == [
          .serial(devnode: "/dev/a", baud: nil, allowsMissingChecksum: isAllowed)
        ])
    }
    #expect(
      TestCatalog.errors("[[source]]\nchecksum = \"optional\"\n").first?.contains(
        "is only for type = \"serial\"") == true)
    #expect(!TestCatalog.errors(source + "checksum = \"never\"\n").isEmpty)
  }

  @Test func `all errors are reported together, in the order of the file`() {
    #expect(
      TestCatalog.errors(
        """
        [deamon]
        [daemon]
        log_level = "loud"
        sokcet = "/x"
        [[source]]
        type = "serial"
        [[sink]]
        type = "gxp"
        [[sink]]
        type = "gpx"
        intervall_seconds = 5
        [[sink]]
        name = "x"
        """) == [
          #"c.toml:1: unknown key "deamon"; did you mean "daemon"?"#,
          #"c.toml:3: daemon.log_level: "loud" is invalid; expected one of "trace", "debug", "info", "notice", "warning", "error", "critical""#,
          #"c.toml:4: daemon: unknown key "sokcet"; did you mean "socket"?"#,
          #"c.toml:6: source[1].type: type = "serial" needs "device" (serial: port of the receiver; "#
            + "of a USB port its link in /dev/serial/by-id, which is stable)",
          #"c.toml:8: sink[1].type: "gxp" is invalid; expected one of "gpx", "log", "program"; did you mean "gpx"?"#,
          #"c.toml:9: sink.gpx: "file" is missing: output file"#,
          #"c.toml:11: sink.gpx: unknown key "intervall_seconds"; did you mean "interval_seconds"?"#,
          #"c.toml:12: sink[3]: "type" is missing: type of the plugin, one of "gpx", "log", "program""#,
        ])
  }

  @Test(arguments: [
    (
      "[[source]]\ntype = \"serial\"\ndevice = \"/dev/a\"\n[[source]]\ntype = \"serial\"\ndevice = \"/dev/a\"\nbaud = 4800",
      "c.toml:4: source[2]: serial:/dev/a is already a source (c.toml:1); remove one"
    ),
    (
      "[[source]]\ntype = \"gpsd\"\n[[source]]\ntype = \"gpsd\"\nport = 2947",
      "c.toml:3: source[2]: gpsd:localhost:2947 is already a source (c.toml:1); remove one"
    ),
    (
      "[[source]]\ndevice = \"/dev/a\"",
      #"c.toml:2: source[1].device: is only for type = "serial", but the type is "auto"; change the type, or remove this key"#
    ),
    (
      "[[source]]\ntype = \"serial\"\ndevice = \"ttyACM0\"",
      #"c.toml:3: source[1].device: a devnode begins with /dev/; try "/dev/ttyACM0""#
    ),
    (
      "[[sink]]\ntype = \"log\"\n[[sink]]\ntype = \"log\"",
      #"c.toml:3: sink.log: the name "log" is already used by sink.log (c.toml:1); use another, such as name = "log-2""#
    ),
    (
      "[[sink]]\ntype = \"log\"\nname = \"place\"\n[[stage]]\ntype = \"place\"",
      #"c.toml:1: sink.place: the name "place" is already used by stage.place (c.toml:4); use another, such as name = "place-2""#
    ),
    (
      "[weather]\nenabled = false\n[[stage]]\ntype = \"weather\"",
      "c.toml:3: stage.weather: needs weather, but [weather] has enabled = false; remove one of them"
    ),
    (
      "[[sink]]\ntype = \"place\"",
      #"c.toml:2: sink[1].type: "place" is a stage; write [[stage]]"#
    ),
    ("[sink]\ntype = \"log\"", "c.toml:1: sink: is a list of tables; write [[sink]]"),
    ("[[daemon]]", "c.toml:1: daemon: is a single table, not a list; write [daemon]"),
    ("daemon = 1", "c.toml:1: daemon: expected a table, got a whole number"),
    (
      "[weather]\nproviders = [\"metnorway\"]",
      #"c.toml:2: weather.providers: metnorway: metnorway requires a contact; set contact = "you@example.org""#
    ),
    (
      "[weather]\nproviders = []",
      "c.toml:2: weather.providers: is empty; to turn weather off, set enabled = false"
    ),
    (
      "[weather]\nproviders = [\"metnorway\", \"openmeto\"]",
      #"c.toml:2: weather.providers: "openmeto" is invalid; expected one of "openmeteo", "metnorway", "nws", "pirateweather", "openweathermap"; did you mean "openmeteo"?"#
    ),
    (
      "[weather.openmeteo]\nkey = \"zebra\"\nkey_file = \"/k\"",
      "c.toml:2: weather.openmeteo.key: cannot be combined with key_file; remove one of them"
    ),
    (
      "[weather.openmeteo]\nbase_url = \"ftp://x\"",
      "c.toml:2: weather.openmeteo.base_url: must begin with http:// or https://"
    ),
    (
      "[weather.openmeteo]\nbase_url = \"http://[::1]:65536/v1\"",
      "c.toml:2: weather.openmeteo.base_url: has the port 65536; ports are 1 to 65535"
    ),
    (
      "[weather.openmeteo]\nbase_url = \"http://h/x#y\"",
      "c.toml:2: weather.openmeteo.base_url: has a fragment after #; remove it"
    ),
    (
      "[weather.openmeteo]\nbase_url = \"http://h?y=1\"",
      "c.toml:2: weather.openmeteo.base_url: has a query after ?; remove it"
    ),
    (
      "[weather.openmeteo]\nbase_url = \"http://u:p@h\"",
      "c.toml:2: weather.openmeteo.base_url: has user info before @; remove it"
    ),
    (
      "[daemon]\nsocket = \"fixcast.sock\"",
      "c.toml:2: daemon.socket: must be an absolute path, such as /run/fixcast/fixcast.sock"
    ),
    (
      "[[sink]]\ntype = \"gpx\"\nfile = \"a.gpx\"",
      "c.toml:3: sink.gpx.file: must be an absolute path"
    ),
    (
      "[[sink]]\ntype = \"gpx\"\nfile = \"/a\"\ntimeout_seconds = 0",
      "c.toml:4: sink.gpx.timeout_seconds: 0 is out of range; expected seconds from 0.1 to 3600"
    ),
  ])
  func `settings that cannot be combined are rejected`(toml: String, error: String) {
    #expect(TestCatalog.errors(toml) == [error])
  }
}
