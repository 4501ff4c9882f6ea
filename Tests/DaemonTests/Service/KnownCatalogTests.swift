// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastConfiguration
import Pipeline
import Plugins
import Testing
import WeatherClientLive

@Suite("Catalog of the configuration")
struct KnownCatalogTests {
  @Test func `the configuration catalog contains every plugin and every provider, in order`() {
    let known = ConfigurationCatalog.known
    #expect(known.plugins.map(\.type) == PluginCatalog.plugins.map(\.name))
    let providers: [String] = WeatherCatalog.providers.map { "weather.\($0.name)" }
    let sections = ConfigurationSection.all(known).map(\.name)
    #expect(sections.filter { $0.hasPrefix("weather.") } == providers)
    #expect(known.plugins.filter(\.needsWeather).map(\.type) == ["reachability", "weather"])
    #expect(known.defaults.allSatisfy { known.plugins($0.role).map(\.type).contains($0.name) })
  }

  @Test func `the default configuration file has no settings, and equals an empty configuration`() throws {
    let file = ConfigurationReference.defaultFile(.known)
    #expect(try SettingsTable(toml: Array(file.utf8), file: "c.toml").isEmpty)
    #expect(try DaemonConfiguration.toml(file) == .toml(""))
  }

  @Test func `the default configuration file is valid TOML with known keys if all lines are uncommented`() throws {
    let lines = ConfigurationReference.defaultFile(.known).split(separator: "\n").map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }
    let text = lines.joined(separator: "\n")
    let table = try SettingsTable(toml: Array(text.utf8), file: "c.toml")
    #expect(!table.isEmpty)
    // Some keys exclude each other or require other keys, but no key may be unknown.
    if case .failure(let errors) = DaemonConfiguration.read(table, catalog: .known) {
      for error in errors.all.map(\.description) {
        #expect(!error.contains("unknown"), "\(error)")
      }
    }
  }

  @Test func `the configuration's reference page contains each plugin and each key of the plugin`() {
    let page = ConfigurationReference.page(.known)
    for plugin in ConfigurationCatalog.known.plugins {
      #expect(page.contains("type = \"\(plugin.type)\""), "\(plugin.type)")
      for setting in plugin.settings { #expect(page.contains("| `\(setting.name)` |")) }
    }
  }

  @Test(arguments: [
    (
      "[[sink]]\ntype = \"log\"\nname = \"clients\"",
      "config.toml:1: sink.clients: the name \"clients\" is reserved by the daemon; "
        + "use another, such as name = \"clients-2\""
    ),
    (
      "[[gate]]\ntype = \"age\"\nname = \"journal\"",
      "config.toml:1: gate.journal: the name \"journal\" is reserved by the daemon; "
        + "use another, such as name = \"journal-2\""
    ),
    (
      "[[source]]\nname = \"outlook\"",
      "config.toml:1: source[1]: the name \"outlook\" is reserved by the daemon; "
        + "use another, such as name = \"outlook-2\""
    ),
    (
      "[[sink]]\ntype = \"exec\"\ncommand = [\"a\"]\ntimeout_seconds = 0.1\nhello_seconds = 5",
      "config.toml:5: sink.exec.hello_seconds: is 5, but one call may take at most 0.1 s; "
        + "set timeout_seconds = 6"
    ),
    (
      "[[sink]]\ntype = \"exec\"\ncommand = [\"a\"]\nhello_seconds = 30.5",
      "config.toml:4: sink.exec.hello_seconds: is 30.5, but one call may take at most 30 s; "
        + "set timeout_seconds = 31"
    ),
    (
      "[[stage]]\ntype = \"exec\"\ncommand = [\"a\"]\nreply_seconds = 300",
      "config.toml:4: stage.exec.reply_seconds: is 300, but one call may take at most 300 s; "
        + "set timeout_seconds = 301"
    ),
  ])
  func `conflicting settings of plugins are refused, and the error names the key and the correction`(
    text: String, message: String
  ) throws {
    let table = try SettingsTable(toml: Array(text.utf8), file: "config.toml")
    switch DaemonConfiguration.read(table, catalog: .known) {
    case .success: Issue.record("the configuration was accepted")
    case .failure(let errors): #expect(errors.all.map(\.description) == [message])
    }
  }

  @Test(arguments: [
    // The timeout of a call may be shorter than the default time limit for the program's
    // greeting.
    "[[sink]]\ntype = \"exec\"\ncommand = [\"a\"]\ntimeout_seconds = 3",
    "[[sink]]\ntype = \"exec\"\ncommand = [\"a\"]\ntimeout_seconds = 61\nhello_seconds = 60",
    "[[stage]]\ntype = \"exec\"\ncommand = [\"a\"]\nreply_seconds = 299",
    "[[sink]]\ntype = \"log\"\nname = \"client\"",
  ])
  func `compatible settings of plugins are accepted`(text: String) throws { _ = try DaemonConfiguration.toml(text) }

  @Test func `a provider without its required key is refused, and the error names the line to add`() {
    let text = "[weather]\nproviders = [\"openweathermap\"]\n"
    do {
      _ = try DaemonConfiguration.toml(text)
      Issue.record("the configuration was accepted")
    } catch {
      #expect("\(error)".contains("key_file below [weather.openweathermap]"), "\(error)")
    }
  }

  @Test func `a provider that was removed is refused, and the error lists the providers`() {
    let text = "[weather]\nproviders = [\"metaweather\"]\n"
    #expect {
      _ = try DaemonConfiguration.toml(text)
    } throws: {
      "\($0)".contains(
        "weather.providers: \"metaweather\" is invalid; expected one of \"openmeteo\", ")
    }
  }
}
