// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// A receiver configured in a file in conf.d.
@Suite(.timeLimit(.minutes(1)))
struct DropInTests {
  private static let file = "root/etc/fixcast/conf.d/receiver.toml"
  private static let text = DaemonFixture.source("type = \"simulated\"\nname = \"roof\"")

  @Test func `a reload releases a receiver if its file in conf.d is empty or has been removed`() async throws {
    let board = try DaemonFixture()
    try board.folder.write("root/etc/fixcast/config.toml", board.head)
    try board.folder.write(Self.file, Self.text)
    try await ChildProcess.use(path: Program.path, arguments: ["run"], environment: board.environment) { daemon in
      await DaemonFixture.wait(for: "serving on", daemon)
      try board.folder.write(Self.file, "")
      try board.folder.write(Self.file, Self.text)
      daemon.send(SIGHUP)
      await DaemonFixture.wait(for: "configuration reloaded: nothing changed", daemon)
      #expect(!daemon.lines.events.contains { $0.contains("roof removed") })
      try board.folder.write(Self.file, "")
      daemon.send(SIGHUP)
      await DaemonFixture.wait(for: "source auto added, source roof removed", daemon)
      try board.folder.write(Self.file, Self.text)
      daemon.send(SIGHUP)
      await DaemonFixture.wait(for: "source roof added, source auto removed", daemon)
      let count = daemon.lines.events.count
      try board.folder.remove(Self.file)
      daemon.send(SIGHUP)
      await DaemonFixture.wait(for: "source auto added, source roof removed", daemon, after: count)
      #expect(await daemon.end() == 0)
    }
  }
}
