// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The daemon's own sinks under authorization rules.
@Suite(.timeLimit(.minutes(5)))
struct DaemonSinksTests {
  private static let message = "a position was received"

  /// Returns a board with a sink that logs a message when it gets a position.
  private static func board() throws -> DaemonBoard {
    let board = try DaemonBoard()
    try board.configure(
      DaemonBoard.source("type = \"simulated\"")
        + """
        [[sink]]
        type = "exec"
        hello = false
        command = ["/bin/sh", "-c", "while read -r line; do case $line in *TPV*) echo \(message) >&2; exit; esac; done"]

        """)
    return board
  }

  /// Returns the README's code blocks that contain a text.
  private static func blocks(with text: String) throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
      .components(separatedBy: "```").filter { $0.contains(text) }
  }

  @Test("sinks get positions under the README's sample rules, and status reports no limit")
  func sample() async throws {
    let board = try Self.board()
    let sample = try #require(try Self.blocks(with: "ask    everyone").first)
    // The sample's user does not exist here.
    let rules = sample.replacing("user=guest", with: "uid=4711")
    try board.folder.write("root/etc/fixcast/policy.d/50-board.conf", rules)
    let checked = try await board.run("check-config")
    #expect(checked.code == 0, "\(checked.lines)")
    try await board.use { daemon in
      await DaemonBoard.wait(for: Self.message, daemon)
      let status = try await board.run("status")
      #expect(status.code == 0 && status.lines.contains { $0.hasPrefix("source ") })
      #expect(!status.lines.contains { $0.hasPrefix("sinks ") }, "\(status.lines)")
    }
  }

  @Test("the README's exec sinks are valid, and a missing program is a warning")
  func programs() async throws {
    let board = try DaemonBoard()
    let blocks = try Self.blocks(with: "mosquitto_pub\"")
    #expect(blocks.count == 1)
    let sample = String(try #require(blocks.first).dropFirst("toml".count))
    try board.configure(sample)
    let good = try await board.run("check-config", board.configuration)
    #expect(good.code == 0, "\(good.lines)")
    try board.configure(sample.replacing("\"mosquitto_pub\"", with: "\"no-such-mqtt\""))
    let warned = try await board.run("check-config", board.configuration)
    #expect(warned.code == 0, "\(warned.lines)")
    #expect(
      warned.lines.contains {
        $0.hasPrefix("warning: ")
          && $0.contains("sink.mqtt.command: program no-such-mqtt not found in PATH; install it")
      }, "\(warned.lines)")
    #expect(!warned.lines.contains { $0.contains("sink.positions") }, "\(warned.lines)")
  }
}
