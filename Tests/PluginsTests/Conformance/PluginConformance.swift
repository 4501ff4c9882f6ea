// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import LocationServices
import PathMonitorClient
import Pipeline
import Plugins
import Positioning
import Settings
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
@Suite("Plugin conformance", .timeLimit(.minutes(1)))
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

  private func location(_ number: Int) -> Location {
    var location = Location(coordinate: .at(Double(number % 90), 0))
    location.receivedAt = MonotonicTime(nanoseconds: 0)
    location.horizontalAccuracy = Accuracy(meters: 1, confidencePercent: 68, basis: .receiver)
    return location
  }

  private func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  /// A stage behind a gate, which says what it was given.
  private struct Behind: Stage {
    let name = "behind"
    let seen: EventRecorder<UInt64>
    func run(
      _ input: AsyncStream<EnrichedLocation>,
      deliver: @escaping @Sendable (EnrichedLocation) -> Void,
      report: @escaping @Sendable (any PipelineEvent) -> Void
    ) async {
      for await value in input { value.number.map { seen.record($0) } }
    }
  }

  /// The plugin, with something behind it that says what came.
  private func pipeline(
    _ plugin: CataloguePlugin, _ seen: EventRecorder<UInt64>
  ) throws -> LocationPipeline {
    LocationPipeline(
      PipelinePlan([
        try plugin.specification(settings(plugin)),
        PluginSpecification("behind", .stage { Behind(seen: seen) }),
      ]))
  }

  private func status(_ plugin: CataloguePlugin, _ pipeline: LocationPipeline) throws
    -> PluginStatus
  {
    try #require(pipeline.status.first { $0.role == plugin.role && $0.name == plugin.name })
  }

  @Test("making one opens nothing", arguments: CataloguePlugin.all)
  func touchesNothing(plugin: CataloguePlugin) throws {
    let before = try descriptorCount()
    // Far more than what anything else in this process may open meanwhile.
    let made = try (0..<256).map { _ -> any Sendable in
      switch try plugin.specification(settings(plugin)).maker {
      case .gate(let make): try make()
      case .stage(let make): try make()
      case .sink(let make): try make()
      }
    }
    #expect(try descriptorCount() < before + made.count / 2)
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

  @Test("ends with its input, and is done with what it was given", arguments: CataloguePlugin.all)
  func endsWithInput(plugin: CataloguePlugin) async throws {
    let pipeline = try pipeline(plugin, EventRecorder())
    pipeline.submit(location(1))
    pipeline.finish()
    #expect(await pipeline.run() == .finished)
    let status = try status(plugin, pipeline)
    #expect(status.inCount >= 1 && status.errorCount == 0 && status.abandonedCount == 0)
    #expect(status.state == .stopped && status.queueDepth == 0)
  }

  @Test(
    "ends when it is cancelled, once and again, without being abandoned",
    arguments: CataloguePlugin.all)
  func cancelled(plugin: CataloguePlugin) async throws {
    let pipeline = try pipeline(plugin, EventRecorder())
    let run = Task { await pipeline.run() }
    pipeline.submit(location(1))
    run.cancel()
    run.cancel()
    #expect(await run.value == .cancelled)
    #expect(try status(plugin, pipeline).abandonedCount == 0)
  }

  @Test("is replaced while it runs, and works again", arguments: CataloguePlugin.all)
  func replaced(plugin: CataloguePlugin) async throws {
    let pipeline = try pipeline(plugin, EventRecorder())
    async let run = pipeline.run()
    pipeline.submit(location(1))
    var specification = try plugin.specification(settings(plugin))
    specification.settings = SettingsTable("x", entries: [SettingEntry("x", .integer(1))])
    let changes = pipeline.apply(PipelinePlan([specification]))
    #expect(changes.replaced == [PluginKey(plugin.role, plugin.name)])
    pipeline.submit(location(2))
    pipeline.finish()
    #expect(await run == .finished)
    #expect(try status(plugin, pipeline).errorCount == 0)
  }

  @Test("in a burst nothing is lost uncounted, and the order stays", arguments: CataloguePlugin.all)
  func burst(plugin: CataloguePlugin) async throws {
    let seen = EventRecorder<UInt64>()
    let pipeline = try pipeline(plugin, seen)
    async let run = pipeline.run()
    for number in 1...10_000 { pipeline.submit(location(number)) }
    pipeline.finish()
    #expect(await run == .finished)
    let status = try status(plugin, pipeline)
    #expect(status.inCount + status.droppedCount >= 10_000)
    #expect(status.queueHighWater <= status.queueLimit && status.queueDepth == 0)
    #expect(zip(seen.events, seen.events.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("nothing of it stays when its pipeline is gone", arguments: CataloguePlugin.all)
  func noCycle(plugin: CataloguePlugin) async throws {
    weak var gone: LocationPipeline?
    do {
      let pipeline = try pipeline(plugin, EventRecorder())
      gone = pipeline
      pipeline.submit(location(1))
      pipeline.finish()
      await pipeline.run()
    }
    #expect(gone == nil)
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
