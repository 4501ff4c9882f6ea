// SPDX-License-Identifier: Apache-2.0

import Bridge
import FixcastConfiguration
import Plugins
import Settings
import TOMLSettings
import Testing
import WeatherClientLive

@Suite("What this program can be told")
struct KnownCatalogTests {
  @Test("every plugin and every provider that there is can be configured, in order")
  func all() {
    let known = ConfigurationCatalog.known
    #expect(known.plugins(.gate).map(\.type) == PluginCatalog.gates.map(\.name))
    #expect(known.plugins(.stage).map(\.type) == PluginCatalog.stages.map(\.name))
    #expect(known.plugins(.sink).map(\.type) == PluginCatalog.sinks.map(\.name))
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
}
