// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Logging
import Pipeline
import Testing

@testable import Daemon

@Suite("Pipeline plan of a configuration")
struct PluginFactoryTests {
  private static let base = """
    [[gate]]
    type = "distance"
    [[sink]]
    type = "jsonlines"
    [[sink]]
    type = "log"

    """
  private static let weatherDisabled = "[weather]\nenabled = false\n"

  private static func factory(_ folder: borrowing ScratchFolder) -> PluginFactory {
    PluginFactory(
      environment: ["FIXCAST_ROOT": folder.path], stateDirectory: folder.path,
      logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }, dependencies: DaemonDependencies())
  }

  /// Returns the changes between the plans of consecutive configurations.
  private func changes(_ texts: [String]) throws -> [PlanChanges] {
    let folder = try ScratchFolder()
    let factory = Self.factory(folder)
    let plans = try texts.map { factory.plan(for: try .toml($0)) }
    return zip(plans, plans.dropFirst()).map { $0.changes(to: $1) }
  }

  @Test func `reloading the same configuration does not change the plan of the pipeline`() throws {
    let change = try #require(changes([Self.base, "# again\n" + Self.base]).first)
    #expect(change.isEmpty)
    #expect(
      change.kept.map(\.name) == [
        "distance", "place", "reachability", "weather", "jsonlines", "log",
      ])
  }

  @Test func `each plugin has the kind of mailbox that its type requires`() throws {
    let folder = try ScratchFolder()
    let factory = Self.factory(folder)
    let sinks = """
      [[sink]]
      type = "gpx"
      file = "/a/a.gpx"
      [[sink]]
      type = "sqlite"
      file = "/a/a.sqlite"
      [[sink]]
      type = "exec"
      command = ["a"]

      """
    let plan = factory.plan(for: try .toml(Self.base + sinks))
    let mailboxes = Dictionary(uniqueKeysWithValues: plan.plugins.map { ($0.name, $0.mailbox) })
    #expect(
      mailboxes == [
        "distance": .keepNewest, "place": .keepNewest, "reachability": .keepNewest,
        "weather": .keepNewest,
        "jsonlines": .dropOldest(limit: 1024), "exec": .dropOldest(limit: 1024),
        "log": .keepAlerts(limit: 1024), "gpx": .dropNewest(limit: 3600),
        "sqlite": .dropNewest(limit: 3600),
      ])
  }

  @Test func `adding a sink does not replace other plugins`() throws {
    let other = Self.base + "[[sink]]\nname = \"more\"\ntype = \"log\"\n"
    let change = try #require(changes([Self.base, other]).first)
    #expect(change.added.map(\.name) == ["more"])
    #expect(change.replaced.isEmpty && change.removed.isEmpty)
  }

  @Test func `a sink whose type changes is replaced`() throws {
    let before = "[[sink]]\nname = \"a\"\ntype = \"log\"\n"
    let after = "[[sink]]\nname = \"a\"\ntype = \"jsonlines\"\n"
    let change = try #require(changes([before, after]).first)
    #expect(change.replaced.map(\.name) == ["a"])
  }

  @Test func `changed weather settings replace only the plugins that depend on lookups`() throws {
    let base =
      "[[gate]]\ntype = \"reachability\"\nname = \"net\"\n[[stage]]\ntype = \"exec\"\n"
      + "command = [\"/bin/true\"]\n" + Self.base + "[[stage]]\ntype = \"place\"\n"
      + "[[stage]]\ntype = \"weather\"\n"
    let other = base + "[weather]\ngrid_decimals = 1\n"
    let change = try #require(changes([base, other]).first)
    #expect(Set(change.replaced.map(\.name)) == ["net", "place", "reachability", "weather"])
    #expect(Set(change.kept.map(\.name)) == ["exec", "distance", "jsonlines", "log"])
    #expect(change.added.isEmpty && change.removed.isEmpty)
  }

  @Test func `weather lookups keep their generation until weather is disabled and enabled again`() throws {
    let folder = try ScratchFolder()
    let factory = Self.factory(folder)
    let generations = try [
      Self.base, "# again\n" + Self.base, Self.base + Self.weatherDisabled, Self.base,
    ].map {
      factory.lookups(for: try .toml($0))?.generation
    }
    #expect(generations == [1, 1, nil, 2])
  }

  @Test func `disabling weather removes the plugins that need it, and enabling weather adds them again`() throws {
    let changes = try changes([Self.base, Self.base + Self.weatherDisabled, Self.base])
    #expect(changes.map { $0.removed.map(\.name) } == [["reachability", "weather"], []])
    #expect(changes.map { $0.added.map(\.name) } == [[], ["reachability", "weather"]])
    for change in changes {
      #expect(change.replaced.map(\.name) == ["place"])
      #expect(change.kept.map(\.name) == ["distance", "jsonlines", "log"])
    }
  }
}
