// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// A daemon without root on a system whose /proc hides other users' processes.
@Suite(.timeLimit(.minutes(5))) struct HiddenProcessesTests {
  private static let hidingScript = "mount -t proc -o hidepid=2 proc /proc && exec \"$0\" \"$@\""

  @Test(
    .enabled(
      if: geteuid() == 0
        && AuthFixture.canRun("unshare", "-m", "sh", "-c", "mount -t proc proc /proc && exec \"$0\""),
      "needs root to mount a /proc"))
  func `if /proc is mounted with hidepid, no client gets a location, and doctor names the option`() async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    try board.folder.makeFolder("root")
    chown(board.path, 65_534, 65_534)
    let drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    let words = ["-m", "/bin/sh", "-c", Self.hidingScript] + drop + [Program.path, "run"]
    try await ChildProcess.use(
      path: "/usr/bin/unshare", arguments: words + ["--config", board.configuration],
      environment: board.environment
    ) { daemon in
      await DaemonFixture.wait(for: "serving on", daemon)
      let located = try await board.run("locate", "--timeout", "5")
      #expect(located.code == 77)
      #expect(located.lines.contains { $0.contains("hidepid") && $0.contains("fixcast doctor") }, "\(located.lines)")
      let doctor = try await ChildProcess.use(
        path: "/usr/bin/unshare",
        arguments: ["-m", "/bin/sh", "-c", Self.hidingScript, Program.path, "doctor", "--json"],
        environment: board.environment
      ) {
        _ = await $0.wait()
        return $0.lines.events
      }
      let finding = try #require(
        doctor.first { $0.contains(#""class":"FINDING","severity":"bad","subject":"processes""#) },
        "\(doctor)")
      #expect(finding.contains("mount -o remount,hidepid=0 /proc"))
      #expect(await daemon.end() == 0)
    }
  }
}
