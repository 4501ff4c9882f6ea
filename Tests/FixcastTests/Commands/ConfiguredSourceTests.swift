// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// Commands that run without the daemon, on a board with a configuration.
@Suite(.timeLimit(.minutes(3))) struct ConfiguredSourceTests {
  private static func source(of board: borrowing AuthFixture) -> String {
    let device = board.source.dropFirst("serial:".count)
    return "[[source]]\ntype = \"serial\"\ndevice = \"\(device)\"\n"
  }

  /// Runs a command on a board on which no daemon runs.
  private func run(_ words: [String], on board: borrowing AuthFixture) async throws -> (lines: [String], code: Int32) {
    var environment = board.environment
    environment["FIXCAST_SOCKET"] = "\(board.root)/no-daemon"
    return try await ChildProcess.run(path: Program.path, arguments: words, environment: environment)
  }

  @Test func `locate, weather and watch read the configured receiver if the daemon does not run`() async throws {
    let board = try AuthFixture()
    try board.write("etc/fixcast/conf.d/receiver.toml", Self.source(of: board))
    let located = try await run(["locate", "--timeout", "20"], on: board)
    #expect(located.code == 0, "\(located.lines)")
    #expect(located.lines.contains { $0.hasPrefix("position  51.5") }, "\(located.lines)")
    let watched = try await run(["watch", "--no-weather", "--json", "--seconds", "8"], on: board)
    #expect(watched.lines.contains { $0.contains(#""lat":51.5"#) }, "\(watched.lines)")
    let weather = try await run(
      ["weather", "--json", "--weather-url", "http://127.0.0.1:9", "--timeout", "20"], on: board)
    #expect(weather.lines.contains { $0.contains(#""lat":51.5"#) }, "\(weather.lines)")
    try board.write("etc/fixcast/policy.d/20.conf", "lock everyone\n")
    let locked = try await run(["locate", "--timeout", "5"], on: board)
    #expect(locked.code == 77, "\(locked.lines)")
  }

  @Test func `locate and doctor name a configured receiver that is missing`() async throws {
    let board = try AuthFixture()
    try board.write(
      "etc/fixcast/config.toml", "[[source]]\ntype = \"serial\"\ndevice = \"/dev/nowhere\"\nbaud = 9600\n")
    let located = try await run(["locate", "--timeout", "2"], on: board)
    #expect(located.code == 69)
    #expect(located.lines.last?.contains("/dev/nowhere") == true, "\(located.lines)")
    let doctor = try await run(["doctor"], on: board)
    #expect(doctor.code == 69)
    #expect(
      doctor.lines.contains {
        $0.hasPrefix("BAD   source") && $0.contains("serial:/dev/nowhere: configured, but there is")
      }, "\(doctor.lines)")
    try board.write("etc/fixcast/config.toml", Self.source(of: board))
    let found = try await run(["doctor"], on: board)
    #expect(
      found.lines.contains {
        $0.hasPrefix("ok    source") && $0.hasSuffix("\(board.source): configured")
      }, "\(found.lines)")
    #expect(!found.lines.contains { $0.contains("no known receiver") }, "\(found.lines)")
  }

  @Test func `doctor names a udev rule of brltty on this board`() async throws {
    let board = try AuthFixture()
    try board.write(
      "etc/udev/rules.d/90-brltty.rules",
      "ENV{PRODUCT}==\"1a86/7523/*\", ENV{BRLTTY_BRAILLE_DRIVER}=\"bm\", GOTO=\"run\"\n")
    let doctor = try await run(["doctor"], on: board)
    #expect(
      doctor.lines.contains {
        $0.hasPrefix("note  brltty ") && $0.contains("90-brltty.rules gives CH340")
      }, "\(doctor.lines)")
  }

  @Test func `a configured recording and simulation need no permission`() async throws {
    let board = try AuthFixture(policy: "lock everyone\n")
    try board.write("etc/fixcast/config.toml", "[[source]]\ntype = \"simulated\"\n")
    let located = try await run(["locate", "--timeout", "20"], on: board)
    #expect(located.code == 0, "\(located.lines)")
  }

  @Test func `locate warns in one line that an invalid configuration names no source`() async throws {
    let board = try AuthFixture()
    try board.write("etc/fixcast/config.toml", "[[sink]]\ntype = \"gxp\"\n")
    let result = try await run(["locate", "--timeout", "1"], on: board)
    #expect(
      result.lines.count { $0.contains("config.toml:2: ") && $0.contains("see: fixcast check-") }
        == 1,
      "\(result.lines)")
  }

  private static let asOtherUser = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups"]

  @Test(.needsOtherUser)
  func `a configuration that a user may not read stops no command that does not need it`() async throws {
    let board = try AuthFixture()
    try board.write("etc/fixcast/config.toml", Self.source(of: board))
    for folder in ["", "/etc", "/etc/fixcast", "/etc/fixcast/policy.d"] {
      try #require(chmod(board.root + folder, 0o755) == 0)
    }
    let file = "\(board.root)/etc/fixcast/config.toml"
    try #require(chmod(file, 0o640) == 0)
    let warning =
      "fixcast: \(file): permission denied; this command does not use the settings in it"
    let there = try await board.shell(
      Self.asOtherUser, "HOME=/nonexistent $F weather 54.3,10.1 --weather-url http://127.0.0.1:9")
    #expect(there.code == 69, "\(there.lines)")
    #expect(there.lines.count { $0.hasPrefix(warning) } == 1, "\(there.lines)")
    let simulated = try await board.shell(
      Self.asOtherUser, "$F watch --no-weather --json --seconds 3 --source simulated")
    #expect(simulated.code == 0, "\(simulated.lines)")
    // It is unknown which answers apply, so the board's own receiver is not opened.
    let local = try await board.shell(Self.asOtherUser, "$F locate --source $S --timeout 5")
    #expect(local.code == 77, "\(local.lines)")
    #expect(local.lines.last?.contains("\(file): permission denied, so the directory of") == true)
    let list = try await board.shell(Self.asOtherUser, "$F auth list")
    #expect(list.code == 77 && list.lines.last?.contains("sudo") == true, "\(list.lines)")
  }

  @Test(.needsOtherUser)
  func `with a daemon, a user who may not read the configuration gets its answers`() async throws {
    let board = try AuthFixture()
    try board.write("etc/fixcast/config.toml", "[weather]\nenabled = false\n[[source]]\ntype = \"simulated\"\n")
    for folder in ["", "/etc", "/etc/fixcast", "/etc/fixcast/policy.d"] {
      try #require(chmod(board.root + folder, 0o755) == 0)
    }
    try #require(chmod("\(board.root)/etc/fixcast/config.toml", 0o640) == 0)
    var environment = board.environment
    environment["FIXCAST_SOCKET"] = "\(board.root)/s"
    let own = environment.merging(["FIXCAST_STATE_DIRECTORY": "\(board.root)/state"]) { $1 }
    _ = try await Program.run("auth", "allow", "uid=12345", environment: own)
    try await ChildProcess.use(path: Program.path, arguments: ["run"], environment: own) {
      [root = board.root, environment] daemon in
      await DaemonFixture.wait(for: "serving on \(root)/s", daemon)
      for (words, text) in [
        ("locate --timeout 30", "position  51.5"), ("auth explain", "authorizedWhenInUse"),
        ("watch --no-weather --json --seconds 5", #""lat":51.5"#),
      ] {
        let result = try await ChildProcess.run(
          path: "/usr/bin/setpriv",
          arguments: Array(Self.asOtherUser.dropFirst()) + [Program.path]
            + words.split(separator: " ").map(String.init), environment: environment)
        #expect(result.code == 0, "\(words): \(result.lines)")
        #expect(result.lines.contains { $0.contains(text) }, "\(words): \(result.lines)")
      }
      #expect(await daemon.end() == 0)
    }
  }
}
