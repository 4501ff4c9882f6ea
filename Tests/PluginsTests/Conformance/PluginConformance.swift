// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import FixcastConfiguration
import FixcastTesting
import Foundation
import LocationServices
import PathMonitorClient
import Pipeline
import Plugins
import Positioning
import Testing
import WeatherClient

/// A plugin of the catalogue, ready to be put into a pipeline.
struct CataloguePlugin: Sendable, CustomTestStringConvertible {
  let role: PluginRole
  let name: String
  let settings: [SettingDeclaration]
  /// What it has to be told, for a plugin that writes to a folder.
  var required: @Sendable (_ folder: String) -> [SettingEntry] = { _ in [] }
  let specification: @Sendable (SettingsTable) throws -> PluginSpecification

  var testDescription: String { "\(role) \(name)" }

  /// Every plugin there is.
  static let all: [CataloguePlugin] =
    PluginCatalog.gates.map { gate in
      CataloguePlugin(role: .gate, name: gate.name, settings: gate.settings) { settings in
        let context = GateContext(
          now: { MonotonicTime(nanoseconds: 0) }, monitor: .satisfied)
        // Made once here, since that is what says whether the settings fit.
        _ = try gate.make(settings, context)
        return PluginSpecification(gate.name, .gate { try gate.make(settings, context) })
      }
    }
    + PluginCatalog.stages.map { stage in
      CataloguePlugin(
        role: .stage, name: stage.name, settings: stage.settings,
        required: { _ in stage.name == "exec" ? [Self.program(Self.answers)] : [] },
        specification: { settings in
          let context = StageContext(client: .empty, now: { MonotonicTime(nanoseconds: 0) })
          _ = try stage.make(settings, context)
          return PluginSpecification(stage.name, .stage { try stage.make(settings, context) })
        })
    }
    + PluginCatalog.sinks.map { sink in
      CataloguePlugin(
        role: .sink, name: sink.name, settings: sink.settings,
        required: { folder in
          if sink.name == "exec" { return [Self.program("exec cat >/dev/null")] }
          let writesFile = sink.settings.contains { $0.name == "file" }
          return writesFile ? [SettingEntry("file", .string("\(folder)/\(sink.name)"))] : []
        },
        specification: { settings in
          let context = SinkContext(write: { _ in }, now: { MonotonicTime(nanoseconds: 0) })
          _ = try sink.make(settings, context)
          return PluginSpecification(sink.name, .sink { try sink.make(settings, context) })
        })
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

  /// What a plugin has to be told, and nothing more.
  private func settings(_ plugin: CataloguePlugin) -> SettingsTable {
    SettingsTable(entries: plugin.required(scratch.folder.path))
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
    #expect(unknown.errors(declared: plugin.settings).count == 1)
    for key in plugin.settings {
      #expect(key.name == key.name.lowercased() && !key.summary.isEmpty)
      let wrong = SettingsTable(
        "plugin", entries: [SettingEntry(key.name, .table(SettingsTable()))])
      #expect(throws: SettingsError.self) { try plugin.specification(wrong) }
    }
  }
}

/// The catalogue and its folders.
@Suite struct CatalogueTests {
  @Test("the catalogue has every gate of the folder, and every name once")
  func gates() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources/Plugins/Gates")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
    #expect(files.count == PluginCatalog.gates.count)
    #expect(Set(PluginCatalog.gates.map(\.name)).count == PluginCatalog.gates.count)
    #expect(PluginCatalog.gate(named: "nonsense") == nil)
    #expect(PluginCatalog.gate(named: "accuracy")?.name == "accuracy")
  }
}
