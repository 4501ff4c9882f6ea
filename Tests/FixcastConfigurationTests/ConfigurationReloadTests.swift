// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Glibc
import Testing
import WeatherClientLive

@Suite("Configuration reload")
struct ConfigurationReloadTests {
  private static let base = """
    [daemon]
    log_level = "info"
    [[source]]
    type = "gpsd"
    [[sink]]
    type = "gpx"
    file = "/a"
    [[sink]]
    type = "log"

    """

  @Test func `moved lines, changed comments and explicit defaults do not change the configuration`() throws {
    let change = try Self.change(
      to: "# moved\n\n[weather]\nenabled = true\n" + Self.base.replacing("\"info\"", with: "'info'")
    )
    #expect(change.isEmpty)
    #expect(change.sinks.kept == ["gpx", "log"])
    #expect(change.sources.kept == ["gpsd:localhost:2947"])
  }

  @Test func `after a change of one sink, the source and the other sink keep running`() throws {
    let change = try Self.change(to: Self.base.replacing("\"/a\"", with: "\"/b\""))
    #expect(change.sinks.changed == ["gpx"])
    #expect(change.sinks.kept == ["log"])
    #expect(change.sources.isEmpty && change.sources.kept == ["gpsd:localhost:2947"])
    #expect(!change.isWeatherChanged && change.gates.isEmpty && change.stages.isEmpty)
  }

  @Test func `new, removed and reordered plugins are reported separately`() throws {
    let change = try Self.change(
      to: """
        [[source]]
        type = "simulated"
        [[sink]]
        type = "log"
        [[sink]]
        type = "gpx"
        file = "/a"
        [[sink]]
        type = "log"
        name = "more"
        """)
    #expect(change.sources.added == ["simulated"])
    #expect(change.sources.removed == ["gpsd:localhost:2947"])
    #expect(change.sinks.added == ["more"])
    #expect(change.sinks.kept == ["log", "gpx"])
    #expect(change.sinks.isReordered)
  }

  @Test func `changes of weather, of the log level, and of keys that need a restart are reported`() throws {
    let change = try Self.change(
      to: Self.base.replacing("\"info\"", with: "\"debug\"\nsocket = \"/run/other\"")
        + "[weather]\ngrid_decimals = 1\n")
    #expect(change.isWeatherChanged && change.isLogLevelChanged)
    #expect(change.needsRestart == ["daemon.socket"])
    #expect(change.sinks.isEmpty && change.sources.isEmpty)
  }

  @Test func `a new key in a key file changes the configuration; rewriting the same key does not`() throws {
    let folder = try ScratchFolder()
    let key = folder.path + "/key"
    try folder.write("c.toml", "[weather.openmeteo]\nkey_file = \"\(key)\"\n")
    let loader = ConfigurationLoader(
      files: ConfigurationFiles(file: folder.path + "/c.toml"), catalog: TestCatalog.catalog)
    func load(_ text: String) throws -> Result<ConfigurationLoader.Loaded, SettingsErrors> {
      try folder.write("key", text)
      #expect(chmod(key, 0o600) == 0)
      return loader.load()
    }
    let running = try load("zebra\n").get().configuration
    #expect(running.weather.providers.first?.configuration.key == "zebra")
    guard case .nothing = ConfigurationReload(running: running, loaded: try load(" zebra\nmore"))
    else {
      Issue.record("rewriting the same key changed the configuration")
      return
    }
    let reload = ConfigurationReload(running: running, loaded: try load("lion\n"))
    guard case .apply(let configuration, let change) = reload else {
      Issue.record("\(reload)")
      return
    }
    #expect(change.isWeatherChanged && change.sinks.isEmpty && change.sources.isEmpty)
    #expect(configuration.weather.providers.first?.configuration.key == "lion")
    #expect(!"\(configuration)\(reload.messages)".contains("lion"))
  }

  @Test func `a reload with an invalid file keeps the running configuration and reports the errors`() throws {
    let errors = SettingsErrors([SettingsError(.syntax("not TOML"))])
    let reload = ConfigurationReload(
      running: try TestCatalog.read(Self.base).get(), loaded: .failure(errors))
    guard case .keep(errors) = reload else {
      Issue.record("\(reload)")
      return
    }
    #expect(
      reload.messages == [
        "not TOML", "the configuration is invalid; the previous one stays active",
      ])
  }

  private static func change(to toml: String) throws -> ConfigurationChange {
    ConfigurationChange(
      from: try TestCatalog.read(base).get(), to: try TestCatalog.read(toml).get())
  }
}
