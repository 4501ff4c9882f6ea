// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// What the daemon's own sinks get under the rules of who may know.
@Suite(.timeLimit(.minutes(5)))
struct DaemonSinksTests {
  private static let told = "a position was told"

  /// A board whose sink says in the daemon's log that it got a position.
  private static func board() throws -> DaemonBoard {
    let board = try DaemonBoard()
    try board.configure(
      DaemonBoard.source("type = \"simulated\"")
        + """
        [[sink]]
        type = "exec"
        hello = false
        command = ["/bin/sh", "-c", "while read -r line; do case $line in *TPV*) echo \(told) >&2; exit; esac; done"]

        """)
    return board
  }

  /// The blocks of the README in which something stands.
  private static func blocks(with text: String) throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
      .components(separatedBy: "```").filter { $0.contains(text) }
  }

  @Test("they go on under the README's sample of rules, and status has nothing to say of it")
  func sample() async throws {
    let board = try Self.board()
    let sample = try #require(try Self.blocks(with: "ask    everyone").first)
    // There is no user of that name here.
    let rules = sample.replacing("user=guest", with: "uid=4711")
    try board.folder.write("root/etc/fixcast/policy.d/50-board.conf", rules)
    let checked = try await board.run("check-config")
    #expect(checked.code == 0, "\(checked.lines)")
    try await board.use { daemon in
      await DaemonBoard.wait(for: Self.told, daemon)
      let status = try await board.run("status")
      #expect(status.code == 0 && status.lines.contains { $0.hasPrefix("source ") })
      #expect(!status.lines.contains { $0.hasPrefix("sinks ") }, "\(status.lines)")
    }
  }

  @Test("the README's programs are sinks, and one that is not there is warned of")
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
