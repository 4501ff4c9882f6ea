// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Glibc
import Testing

@Suite("Effective settings")
struct EffectiveSettingTests {
  @Test func `each value is listed with its origin, including defaults, and secrets are masked`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      "c.toml",
      """
      [[source]]
      type = "serial"
      device = "/dev/a"
      [[sink]]
      type = "gpx"
      file = "/a"
      token = "zebra"
      """)
    let path = "\(folder.path)/c.toml"
    #expect(chmod(path, 0o600) == 0)
    let loaded = try ConfigurationLoader(
      files: ConfigurationFiles(file: path), catalog: TestCatalog.catalog
    ).load().get()
    let lines = EffectiveSetting.all(loaded, TestCatalog.catalog).map { setting in
      "\(setting.keyPath) = \(setting.text) "
        + (setting.origin.map { "\($0)" } ?? "default").replacing("\(folder.path)/", with: "")
    }
    #expect(
      lines == [
        #"daemon.socket = "/run/fixcast/fixcast.sock" default"#,
        #"daemon.state_directory = "/var/lib/fixcast" default"#,
        #"daemon.log_level = "info" default"#,
        #"source[1].type = "serial" c.toml:2"#,
        #"source[1].device = "/dev/a" c.toml:3"#,
        #"source[1].checksum = "required" default"#,
        "weather.enabled = true default",
        #"weather.providers = ["openmeteo"] default"#,
        "weather.grid_decimals = 2 default",
        "gpsd_server.enabled = true default",
        #"gpsd_server.listen = ["127.0.0.1:2947", "[::1]:2947"] default"#,
        "nmea_server.enabled = false default",
        #"nmea_server.listen = ["127.0.0.1:10110"] default"#,
        #"nmea_server.socket = "/run/fixcast/nmea.sock" default"#,
        "metrics.listen = [] default",
        "metrics.position = false default",
        "web.hosts = [] default",
        #"sink.gpx.type = "gpx" c.toml:5"#,
        "sink.gpx.enabled = true default",
        "sink.gpx.required = false default",
        #"sink.gpx.file = "/a" c.toml:6"#,
        "sink.gpx.interval_seconds = 10 default",
        "sink.gpx.token = (secret) c.toml:7",
        #"stage.place.type = "place" default"#,
        #"gate.reachability.type = "reachability" default"#,
        #"stage.weather.type = "weather" default"#,
        #"plan = ["stage.place", "gate.reachability", "stage.weather", "sink.gpx"] default"#,
      ])
  }
}
