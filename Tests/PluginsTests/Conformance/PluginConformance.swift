// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastConfiguration
import FixcastTesting
import Pipeline
import Plugins
import Positioning
import Testing

/// A plugin of the catalogue, ready to be put into a pipeline.
struct CataloguePlugin: Sendable, CustomTestStringConvertible {
  let plugin: Plugin

  var testDescription: String { "\(plugin.description.role) \(plugin.name)" }

  static let all = PluginCatalog.plugins.map(CataloguePlugin.init)

  /// The settings that the plugin needs, where it writes to a folder.
  func settings(folder: String) -> SettingsTable {
    var entries: [SettingEntry] = []
    if plugin.name == "exec" {
      entries.append(
        Self.program(plugin.description.role == .sink ? "exec cat >/dev/null" : Self.answers))
    } else if plugin.settings.contains(where: { $0.name == "file" }) {
      entries.append(SettingEntry("file", .string("\(folder)/\(plugin.name)")))
    }
    return SettingsTable(entries: entries)
  }

  func specification(_ settings: SettingsTable) throws -> PluginSpecification {
    let context = PluginContext(now: { MonotonicTime(nanoseconds: 0) })
    let specification = plugin.specification(settings, context)
    // Made once here, since that is what says whether the settings fit.
    _ = try specification.maker.make()
    return specification
  }

  /// Answers whatever it is asked, and knows nothing.
  private static let answers = #"""
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

/// What every plugin keeps to, whatever it does.
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

  @Test(
    "every plugin keeps to what whoever writes one can try theirs by",
    arguments: CataloguePlugin.all)
  func conforms(plugin: CataloguePlugin) async throws {
    let specification = try plugin.specification(settings(plugin))
    #expect(await PluginConformance(specification).breaches() == [])
  }

  @Test(
    "a key that is not declared, and a value of the wrong sort, are errors",
    arguments: CataloguePlugin.all)
  func wrongSettings(plugin: CataloguePlugin) throws {
    let unknown = SettingsTable(
      "plugin", entries: settings(plugin).entries + [SettingEntry("nonsense", .integer(1))])
    #expect(unknown.errors(declared: plugin.plugin.settings).count == 1)
    for key in plugin.plugin.settings {
      #expect(key.name == key.name.lowercased() && !key.summary.isEmpty)
      let wrong = SettingsTable(
        "plugin", entries: [SettingEntry(key.name, .table(SettingsTable()))])
      #expect(throws: SettingsError.self) { try plugin.specification(wrong) }
    }
  }
}
