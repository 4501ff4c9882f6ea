// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

/// The daemon with a sink of type `chrony`, and a socket in the place of chronyd's.
///
/// `ChronySinkTests` runs the sink with a real chronyd, and `make smoke` runs the daemon with a
/// receiver that does not mark its positions as simulated.
@Suite("Daemon and chrony", .timeLimit(.minutes(2)))
struct ChronyDaemonTests {
  @Test func `chronyd gets nothing from the simulated source`() async throws {
    let folder = try ScratchFolder()
    let receiver = DatagramReceiver(at: folder.path + "/chrony.sock")
    let board = try DaemonFixture()
    try board.configure(
      DaemonFixture.source("type = \"simulated\"")
        + "[[sink]]\ntype = \"chrony\"\npath = \"\(receiver.path)\"\n"
        + board.sink("jsonlines", name: "lines", file: "lines"))
    try await board.use { _ in
      let watched = try await board.run("watch", "--json", "--no-weather", "--seconds", "3")
      #expect(watched.code == 0, "\(watched.lines)")
    }
    // All sinks have received the same events when the daemon has ended.
    let positions = try board.lines(of: "lines").count { $0.contains("\"TPV\"") }
    #expect(positions >= 3)
    #expect(receiver.next() == nil)
  }
}
