// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// A receiver that a file of conf.d names, while somebody edits that file.
@Suite(.timeLimit(.minutes(1)))
struct DropInTests {
  private static let part = "root/etc/fixcast/conf.d/receiver.toml"
  private static let text = DaemonBoard.source("type = \"simulated\"\nname = \"roof\"")

  @Test("is let go when the file is removed, or emptied and that is meant, and not before")
  func edited() async throws {
    let board = try DaemonBoard()
    try board.folder.write("root/etc/fixcast/config.toml", board.head)
    try board.folder.write(Self.part, Self.text)
    try await ChildProcess.use(
      path: Program.path, arguments: ["run"], environment: board.environment
    ) { daemon in
      await DaemonBoard.wait(for: "serving on", daemon)
      try board.folder.write(Self.part, "")
      await DaemonBoard.wait(for: "receiver.toml: says nothing any more; where that", daemon)
      let status = try await board.run("status")
      #expect(
        status.lines.contains { $0.contains(/^configuration +BROKEN; the one before/) },
        "\(status.lines)")
      #expect(!daemon.lines.events.contains { $0.contains("roof removed") })
      try board.folder.write(Self.part, Self.text)
      await DaemonBoard.wait(for: "the configuration is right again", daemon)
      // Meant this time.
      try board.folder.write(Self.part, "")
      daemon.send(SIGHUP)
      await DaemonBoard.wait(for: "source auto added, source roof removed", daemon)
      try board.folder.write(Self.part, Self.text)
      await DaemonBoard.wait(for: "source roof added, source auto removed", daemon)
      let count = daemon.lines.events.count
      try board.folder.remove(Self.part)
      await DaemonBoard.wait(for: "source auto added, source roof removed", daemon, after: count)
      #expect(await daemon.end() == 0)
    }
  }
}
