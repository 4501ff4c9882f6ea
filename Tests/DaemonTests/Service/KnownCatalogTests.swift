// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastConfiguration
import Pipeline
import Plugins
import Testing
import WeatherClientLive

@Suite("What this program can be told")
struct KnownCatalogTests {
  @Test("every plugin and every provider that there is can be configured, in order")
  func all() {
    let known = ConfigurationCatalog.known
    #expect(known.plugins.map(\.type) == PluginCatalog.plugins.map(\.name))
    let providers: [String] = WeatherCatalog.providers.map { $0.name }
    #expect(known.providers.map(\.name) == providers)
    #expect(known.plugins.filter(\.needsWeather).map(\.type) == ["reachability", "weather"])
    for names in known.standard {
      #expect(Set(names.value).isSubset(of: known.plugins(names.key).map(\.type)))
    }
  }

  @Test("the default file says nothing, and means what holds without it")
  func defaultFile() throws {
    let file = ConfigurationReference.defaultFile(.known)
    #expect(try SettingsTable(toml: Array(file.utf8), file: "c.toml").isEmpty)
    #expect(try DaemonConfiguration.toml(file) == .toml(""))
  }

  @Test("with every comment taken away the default file is a file, with keys that there are")
  func uncommented() throws {
    let lines = ConfigurationReference.defaultFile(.known).split(separator: "\n").map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }
    let text = lines.joined(separator: "\n")
    let table = try SettingsTable(toml: Array(text.utf8), file: "c.toml")
    #expect(!table.isEmpty)
    // Some keys exclude each other, or ask for more; none may be unknown or of another type.
    if case .failure(let errors) = DaemonConfiguration.read(table, catalog: .known) {
      for error in errors.all.map(\.description) {
        #expect(!error.contains("unknown"), "\(error)")
      }
    }
  }

  @Test("the page names each plugin, each key of it, and what each provider can be told")
  func page() {
    let page = ConfigurationReference.page(.known)
    for plugin in ConfigurationCatalog.known.plugins {
      #expect(page.contains("type = \"\(plugin.type)\""), "\(plugin.type)")
      for setting in plugin.settings { #expect(page.contains("| `\(setting.name)` |")) }
    }
  }

  @Test(
    "what cannot be together is refused with the key and what to do",
    arguments: [
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
  func conflicts(text: String, message: String) throws {
    let table = try SettingsTable(toml: Array(text.utf8), file: "config.toml")
    switch DaemonConfiguration.read(table, catalog: .known) {
    case .success: Issue.record("it was taken")
    case .failure(let errors): #expect(errors.all.map(\.description) == [message])
    }
  }

  @Test(
    "what goes together is taken",
    arguments: [
      // One call alone may take less than the program has by default to say hello.
      "[[sink]]\ntype = \"exec\"\ncommand = [\"a\"]\ntimeout_seconds = 3",
      "[[sink]]\ntype = \"exec\"\ncommand = [\"a\"]\ntimeout_seconds = 61\nhello_seconds = 60",
      "[[stage]]\ntype = \"exec\"\ncommand = [\"a\"]\nreply_seconds = 299",
      "[[sink]]\ntype = \"log\"\nname = \"client\"",
    ])
  func goesTogether(text: String) throws { _ = try DaemonConfiguration.toml(text) }

  @Test("a provider that wants a key says so, and which line to write where")
  func lack() {
    let text = "[weather]\nproviders = [\"openweathermap\"]\n"
    do {
      _ = try DaemonConfiguration.toml(text)
      Issue.record("it was taken")
    } catch {
      #expect("\(error)".contains("key_file below [weather.openweathermap]"), "\(error)")
    }
  }

  @Test("a configuration that names a provider of an earlier release is refused with the list")
  func removedProvider() {
    let text = "[weather]\nproviders = [\"metaweather\"]\n"
    #expect {
      _ = try DaemonConfiguration.toml(text)
    } throws: {
      "\($0)".contains(
        "weather.providers: \"metaweather\" is invalid; expected one of \"openmeteo\", ")
    }
  }
}
