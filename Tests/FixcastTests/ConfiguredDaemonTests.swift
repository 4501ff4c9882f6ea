// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// A daemon whose files say that its socket and its answers lie elsewhere.
@Suite(.timeLimit(.minutes(2))) struct ConfiguredDaemonTests {
  /// A board whose configuration, below a root, names both.
  private static func configured() throws -> DaemonBoard {
    let board = try DaemonBoard()
    try board.folder.write(
      "root/etc/fixcast/config.toml",
      board.head + DaemonBoard.source("type = \"simulated\""))
    return board
  }

  @Test("commands find both, and an answer is written where the daemon reads it")
  func found() async throws {
    let board = try Self.configured()
    let environment = ["FIXCAST_ROOT": board.path + "/root"]
    func run(_ words: String...) async throws -> (lines: [String], code: Int32) {
      try await ChildProcess.use(path: Program.path, arguments: words, environment: environment) {
        let status = await $0.wait()
        return ($0.lines.events, status >> 8 & 0xFF)
      }
    }
    try await ChildProcess.use(path: Program.path, arguments: ["run"], environment: environment) {
      await DaemonBoard.wait(for: "serving on \(board.path)/s", $0)
      let status = try await run("status")
      #expect(status.code == 0, "\(status.lines)")
      let allowed = try await run("auth", "allow", "uid=1")
      #expect(allowed.code == 0 && !allowed.lines.contains { $0.contains("without the daemon") })
      #expect(access(board.path + "/state/decisions.json", F_OK) == 0)
      #expect(access(board.path + "/root/var", F_OK) != 0)
      let list = try await run("auth", "list")
      #expect(list.lines.first?.hasPrefix("answer 1  allow uid=1") == true, "\(list.lines)")
      #expect(try await run("locate", "--timeout", "20").code == 0)
      #expect(await $0.end() == 0)
    }
  }

  @Test("the environment and options count before them, and files that are wrong do not")
  func precedence() async throws {
    let board = try Self.configured()
    let elsewhere = ["FIXCAST_ROOT": board.path + "/root", "FIXCAST_STATE_DIRECTORY": board.path]
    _ = try await Program.run("auth", "allow", "uid=1", environment: elsewhere)
    #expect(access(board.path + "/decisions.json", F_OK) == 0)
    _ = try await Program.run("auth", "allow", "uid=1", "--root", board.path + "/root")
    #expect(access(board.path + "/root/var/lib/fixcast/decisions.json", F_OK) == 0)
    try board.folder.write("root/etc/fixcast/config.toml", "[daemon]\nstate_directory = 7\n")
    let broken = try await Program.run(
      "auth", "list", environment: ["FIXCAST_ROOT": board.path + "/root"])
    #expect(broken.lines.first?.hasPrefix("answer 1  allow uid=1") == true, "\(broken.lines)")
    #expect(access(board.path + "/state", F_OK) != 0)
  }
}
