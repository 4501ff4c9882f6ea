// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// A daemon whose configuration sets its socket and state directory.
@Suite(.timeLimit(.minutes(2))) struct ConfiguredDaemonTests {
  /// Returns a board whose configuration below `root` sets the socket and the state directory.
  private static func configured() throws -> DaemonFixture {
    let board = try DaemonFixture()
    try board.folder.write("root/etc/fixcast/config.toml", board.head + DaemonFixture.source("type = \"simulated\""))
    return board
  }

  @Test func `commands use the configured socket and state directory of the daemon`() async throws {
    let board = try Self.configured()
    let environment = ["FIXCAST_ROOT": board.path + "/root"]
    func run(_ words: String...) async throws -> (lines: [String], code: Int32) {
      try await ChildProcess.run(path: Program.path, arguments: words, environment: environment)
    }
    try await ChildProcess.use(path: Program.path, arguments: ["run"], environment: environment) {
      await DaemonFixture.wait(for: "serving on \(board.path)/s", $0)
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

  @Test func `an option overrides the environment's state directory, and the environment the files'`() async throws {
    let board = try Self.configured()
    let environment = ["FIXCAST_ROOT": board.path + "/root", "FIXCAST_STATE_DIRECTORY": board.path]
    _ = try await Program.run("auth", "allow", "uid=1", environment: environment)
    #expect(access(board.path + "/decisions.json", F_OK) == 0)
    _ = try await Program.run(
      "auth", "allow", "uid=1", "--state-directory", board.path + "/option",
      environment: environment)
    #expect(access(board.path + "/option/decisions.json", F_OK) == 0)
    try board.folder.write("image/etc/fixcast/config.toml", "[daemon]\nstate_directory = \"/data/fixcast\"\n")
    for _ in 0..<2 {
      let allowed = try await Program.run("auth", "allow", "uid=1", "--root", board.path + "/image")
      #expect(allowed.code == 0, "\(allowed.lines)")
      #expect(access(board.path + "/image/data/fixcast/decisions.json", F_OK) == 0)
      // A path that already starts with the root is used unchanged.
      try board.folder.write(
        "image/etc/fixcast/config.toml",
        "[daemon]\nstate_directory = \"\(board.path)/image/data/fixcast\"\n")
    }
    #expect(access(board.path + "/image/var", F_OK) != 0)
  }

  @Test(
    arguments: [
      ["auth", "deny", "uid=1"], ["auth", "deny", "everyone"], ["auth", "allow", "uid=1"],
      ["auth", "reset", "uid=1"], ["auth", "list"],
    ], ["state_directory = 7", "state_direktory = \"/x\"", "= slip"])
  func `an invalid configuration makes auth commands fail without writing anything`(words: [String], line: String)
    async throws
  {
    let board = try Self.configured()
    try board.folder.write("root/etc/fixcast/conf.d/10.toml", "[daemon]\n\(line)\n")
    let environment = ["FIXCAST_ROOT": board.path + "/root"]
    let (lines, code) = try await ChildProcess.run(path: Program.path, arguments: words, environment: environment)
    #expect(code == 78 && lines.count == 1, "\(lines)")
    #expect(lines.last?.contains("/conf.d/10.toml:2:") == true, "\(lines)")
    #expect(lines.last?.contains("so the directory of the answers is unknown") == true, "\(lines)")
    #expect(access(board.path + "/root/var", F_OK) != 0)
    #expect(access(board.path + "/state", F_OK) != 0)
  }

  @Test(.enabled(if: access("/run/fixcast/fixcast.sock", F_OK) != 0, "a daemon of this machine is running"))
  func `with an invalid configuration, commands find a running daemon or exit with 78`() async throws {
    let board = try Self.configured()
    let environment = ["FIXCAST_ROOT": board.path + "/root"]
    func run(_ words: String..., with more: [String: String] = [:]) async throws -> (lines: [String], code: Int32) {
      try await ChildProcess.run(path: Program.path, arguments: words, environment: environment.merging(more) { $1 })
    }
    try await ChildProcess.use(path: Program.path, arguments: ["run"], environment: environment) {
      await DaemonFixture.wait(for: "serving on \(board.path)/s", $0)
      try board.folder.write("root/etc/fixcast/conf.d/10.toml", "[daemon]\n= slip\n")
      $0.send(SIGHUP)
      await DaemonFixture.wait(for: "the configuration is invalid", $0)
      // The main file is valid and sets the socket.
      let found = try await run("status")
      #expect(found.code == 0 && found.lines.contains { $0.contains("previous configuration") }, "\(found.lines)")
      let denied = try await run("auth", "deny", "uid=1")
      #expect(denied.code == 78, "\(denied.lines)")
      let doctor = try await run("doctor")
      #expect(doctor.code == 69, "\(doctor.lines)")
      #expect(
        doctor.lines.contains {
          $0.hasPrefix("BAD   configuration    ") && $0.contains("10.toml:2")
        },
        "\(doctor.lines)")
      try board.folder.write("root/etc/fixcast/config.toml", "[daemon\n")
      for words in [["status"], ["locate"], ["watch", "--no-weather"]] {
        let (lines, code) = try await run(words[0], words.count > 1 ? words[1] : "--json")
        #expect(code == 78, "\(words): \(lines)")
        #expect(lines.last?.contains("so the daemon's socket is unknown") == true, "\(words): \(lines)")
      }
      let named = try await run("status", with: ["FIXCAST_SOCKET": board.path + "/s"])
      #expect(named.code == 0, "\(named.lines)")
      #expect(await $0.end() == 0)
    }
  }

  @Test func `status and doctor report an invalid policy`() async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    try board.folder.write("root/etc/fixcast/policy.d/10.conf", "let me in\n")
    try await board.use { _ in
      let status = try await board.run("status")
      #expect(status.lines.contains { $0.contains("10.conf:1") }, "\(status.lines)")
      let doctor = try await board.run("doctor")
      #expect(doctor.code == 69, "\(doctor.lines)")
      #expect(doctor.lines.contains { $0.hasPrefix("BAD   policy  ") }, "\(doctor.lines)")
    }
  }
}
