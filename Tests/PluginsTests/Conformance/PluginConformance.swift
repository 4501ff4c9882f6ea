// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastConfiguration
import FixcastTesting
import Pipeline
import Plugins
import Positioning
import Testing

/// A plugin in the catalogue, with settings for the conformance tests.
struct CataloguePlugin: Sendable, CustomTestStringConvertible {
  let plugin: Plugin

  var testDescription: String { "\(plugin.description.role) \(plugin.name)" }

  static let all = PluginCatalog.plugins.map(CataloguePlugin.init)

  /// Returns the settings that the plugin requires, with files in the given folder.
  func settings(folder: String) -> SettingsTable {
    var entries: [SettingEntry] = []
    if plugin.name == "exec" {
      entries.append(Self.program(plugin.description.role == .sink ? "exec cat >/dev/null" : Self.replyScript))
    } else if plugin.name == "mqtt" || plugin.name == "fleet" {
      entries.append(SettingEntry("broker", .string("mqtt://127.0.0.1:9")))
      if plugin.name == "fleet" {
        entries.append(SettingEntry("outbox", .string("\(folder)/fleet.sqlite")))
      }
    } else if plugin.name == "nmea" {
      entries.append(SettingEntry("destinations", .list([.string("127.0.0.1:9")])))
    } else if plugin.settings.contains(where: { $0.name == "file" }) {
      entries.append(SettingEntry("file", .string("\(folder)/\(plugin.name)")))
    }
    return SettingsTable(entries: entries)
  }

  func specification(_ settings: SettingsTable) throws -> PluginSpecification {
    let context = PluginContext(now: { .at(0) })
    let specification = plugin.specification(settings, context)
    // Creating an instance validates the settings.
    _ = try specification.maker.make()
    return specification
  }

  /// A shell script that replies to each request without data.
  private static let replyScript = #"""
    read -r hello
    while read -r line; do
      id=${line#*\"id\":}; echo "{\"class\":\"ENRICHED\",\"id\":${id%%,*}}"
    done
    """#

  private static func program(_ script: String) -> SettingEntry {
    let words = ["/bin/sh", "-c", ExecScript.hello + script]
    return SettingEntry("command", .list(words.map(SettingValue.string)))
  }
}

/// Tests that every plugin must pass.
@Suite("Plugin conformance", .timeLimit(.minutes(5)))
struct PluginConformanceTests {
  private final class Scratch {
    let folder: ScratchFolder
    init() throws { folder = try ScratchFolder() }
  }

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func settings(_ plugin: CataloguePlugin) -> SettingsTable {
    plugin.settings(folder: scratch.folder.path)
  }

  @Test(arguments: CataloguePlugin.all)
  func `every plugin passes the public conformance suite`(plugin: CataloguePlugin) async throws {
    let specification = try plugin.specification(settings(plugin))
    #expect(await PluginConformance(specification).breaches() == [])
  }

  @Test(arguments: CataloguePlugin.all)
  func `for every plugin, an undeclared key and a value of the wrong type are errors`(plugin: CataloguePlugin) throws {
    let unknown = SettingsTable("plugin", entries: settings(plugin).entries + [SettingEntry("nonsense", .integer(1))])
    #expect(unknown.errors(declared: plugin.plugin.settings).count == 1)
    for key in plugin.plugin.settings {
      #expect(key.name == key.name.lowercased() && !key.summary.isEmpty)
      let wrong = SettingsTable("plugin", entries: [SettingEntry(key.name, .table(SettingsTable()))])
      #expect(throws: SettingsError.self) { try plugin.specification(wrong) }
    }
  }
}
