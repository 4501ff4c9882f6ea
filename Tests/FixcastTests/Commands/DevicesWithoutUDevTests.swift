// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// The `fixcast devices` command without udevd, as in a container.
@Suite(.timeLimit(.minutes(5)), .enabled(if: getuid() == 0, "needs root to hide udevd"))
struct DevicesWithoutUDevTests {
  /// Runs the command with udevd's socket hidden.
  private func run(_ arguments: String) async throws -> (lines: [String], code: Int32) {
    let script = """
      [ ! -d /run/udev ] || mount -t tmpfs none /run/udev
      exec timeout 30 \(Program.path) devices \(arguments)
      """
    return try await ChildProcess.run(
      path: "/usr/bin/unshare", arguments: ["-m", "sh", "-c", script]
    )
  }

  @Test func `devices --watch without udevd lists present devices and exits with 69`()
    async throws
  {
    let watched = try await run("--watch")
    #expect(watched.code == 69, "\(watched.lines)")
    #expect(watched.lines.last?.hasPrefix("fixcast: udev is not running") == true)
    #expect(!watched.lines.contains { $0.hasPrefix("watching") })
    #expect(watched.lines.count { $0.contains("udev is not running") } == 1)
    // The command without --watch lists the same number of devices.
    let listed = try await run("--json")
    #expect(listed.code == 0)
    let devices = try await run("--watch --json").lines.count { $0.hasPrefix("{") }
    #expect(devices == listed.lines.count { $0.hasPrefix("{") })
  }
}
