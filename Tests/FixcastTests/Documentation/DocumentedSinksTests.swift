// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The sinks, rules and plugins in the articles match those of a running daemon.
@Suite(.timeLimit(.minutes(5)))
struct DocumentedSinksTests {
  private static let articles = "Sources/fixcast/fixcast.docc/"

  /// Returns the article's only block in this language that contains a text.
  private static func block(_ language: String, with text: String, in article: String) throws -> String {
    let blocks = try Document(path: articles + article).blocks(of: language)
      .filter { $0.text.contains(text) }
    try #require(blocks.count == 1)
    return blocks[0].text
  }

  @Test func `the rules in the Authorization article do not limit the daemon's own sinks`()
    async throws
  {
    let marker = "received a position"
    let board = try DaemonFixture()
    try board.configure(
      DaemonFixture.source("type = \"simulated\"")
        + """
        [[sink]]
        type = "exec"
        hello = false
        command = ["/bin/sh", "-c", "while read -r line; do case $line in *TPV*) echo \(marker) >&2; exit; esac; done"]

        """)
    let sample = try Self.block("conf", with: "ask    everyone", in: "Authorization.md")
    // The test machine has no user "guest".
    let rules = sample.replacing("user=guest", with: "uid=4711")
    try board.folder.write("root/etc/fixcast/policy.d/50-board.conf", rules)
    let checked = try await board.run("check-config")
    try #require(checked.code == 0, "\(checked.lines)")
    try await board.use { daemon in
      await DaemonFixture.wait(for: marker, daemon)
      let status = try await board.run("status")
      #expect(status.code == 0 && status.lines.contains { $0.hasPrefix("source ") })
      #expect(!status.lines.contains { $0.hasPrefix("sinks ") }, "\(status.lines)")
    }
  }

  @Test func `check-config accepts the article's exec sinks and warns of a missing program`()
    async throws
  {
    let board = try DaemonFixture()
    let sample = try Self.block("toml", with: "mosquitto_pub\"", in: "Configure.md")
    try board.configure(sample)
    let good = try await board.run("check-config", board.configuration)
    #expect(good.code == 0, "\(good.lines)")
    try board.configure(sample.replacing("\"mosquitto_pub\"", with: "\"no-such-mqtt\""))
    let warned = try await board.run("check-config", board.configuration)
    #expect(warned.code == 0, "\(warned.lines)")
    let warnings = warned.lines.filter { $0.contains("no-such-mqtt") }
    #expect(warnings.count == 1 && warnings[0].contains("sink.mqtt.command"), "\(warned.lines)")
    #expect(!warned.lines.contains { $0.contains("sink.positions") }, "\(warned.lines)")
  }

  /// Returns the names in the first column of the plugin table, such as `sink gpx`.
  private static func plugins(_ lines: some Collection<Substring>) -> [String] {
    lines.drop { !$0.hasPrefix("PLUGIN ") }.dropFirst()
      .filter { !$0.hasPrefix(" ") && !$0.isEmpty }
      .map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
  }

  @Test(.needsNetworkNamespaces)
  func `the status output in the Configure article lists the same plugins as fixcast status`()
    async throws
  {
    let network = NetworkNamespaceFixture(connected: false)
    let board = try DaemonFixture()
    try board.folder.write(
      "config.toml",
      "[daemon]\nsocket = \"\(board.path)/s\"\nstate_directory = \"\(board.path)/state\"\n"
        + DaemonFixture.source("type = \"simulated\"")
        + "[[sink]]\ntype = \"gpx\"\nfile = \"\(board.path)/a.gpx\"\n")
    let printed = try await network.use(
      ["run", "--config", board.configuration], environment: board.environment
    ) { daemon in
      await DaemonFixture.wait(for: "serving on", daemon)
      return try await board.run("status").lines.map { $0[...] }
    }
    let shown = try Self.block("console", with: "PLUGIN ", in: "Configure.md")
    #expect(Self.plugins(printed).count == 7, "\(printed)")
    #expect(Self.plugins(shown.split(separator: "\n")) == Self.plugins(printed))
  }
}
