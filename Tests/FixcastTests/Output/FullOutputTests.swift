// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// Commands whose output cannot be written.
@Suite(.timeLimit(.minutes(2))) struct FullOutputTests {
  private static func run(
    _ words: [String], _ script: String
  ) async throws -> (lines: [String], code: Int32) {
    let folder = try ScratchFolder()
    return try await ChildProcess.use(
      path: "/bin/bash", arguments: ["-c", script, Program.path] + words,
      environment: ["FIXCAST_SOCKET": folder.path + "/s", "FIXCAST_ROOT": folder.path]
    ) {
      let status = await $0.wait()
      return ($0.lines.events, status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F))
    }
  }

  static let commands: [[String]] = [
    ["--help"], ["--version"], ["help", "auth"], ["doctor"], ["doctor", "--json"], ["status"],
    ["status", "--json"], ["path"], ["path", "--json"], ["auth", "list"], ["auth", "pending"],
    ["auth", "explain", "uid=1"], ["auth", "deny", "everyone"], ["simulate", "--duration", "1"],
    ["locate", "--source", "simulated"], ["demo", "--scene", "list"], ["check-config"],
    ["check-config", "--reference"], ["watch", "--source", "simulated", "--no-weather"],
    ["demo", "--seconds", "5"],
  ]

  @Test(arguments: commands)
  func `a full output disk makes a command exit with 74 and one error line`(words: [String]) async throws {
    let (lines, code) = try await Self.run(words, #"exec "$0" "$@" >/dev/full"#)
    #expect(code == 74, "\(lines)")
    #expect(
      lines.contains {
        $0.hasPrefix("fixcast: standard output") && !$0.contains("(errno")
      }, "\(lines)")
  }

  @Test(arguments: commands + [["replay", "--speed", "max", "LOG"]])
  func `a command whose reader closes the pipe exits without a message`(words: [String]) async throws {
    let script = """
      case "$*" in *LOG) "$0" simulate --duration 2 >"$FIXCAST_ROOT/log";; esac
      set -- "${@/#LOG/$FIXCAST_ROOT/log}"
      mkfifo "$FIXCAST_ROOT/pipe" && exec 3<>"$FIXCAST_ROOT/pipe" 4>"$FIXCAST_ROOT/pipe" 3<&-
      exec "$0" "$@" >&4 4>&-
      """
    let (lines, code) = try await Self.run(words, script)
    // SIGPIPE kills the command if the C library writes the output.
    #expect([74, 128 + SIGPIPE].contains(code), "\(lines)")
    #expect(!lines.contains { $0.contains("standard output") }, "\(lines)")
  }
}
