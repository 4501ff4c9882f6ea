// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

/// The last known position, as `fixcast locate --last` prints it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct LocateLastTests {
  @Test
  func `locate --last prints the last position of an unplugged receiver, until a daemon's restart`() async throws {
    let board = try DaemonFixture()
    // The kernel may give the number of a closed terminal to the receiver of another test.
    let link = board.path + "/receiver"
    let arguments = ["simulate", "--hz", "5", "--link", link]
    try await ChildProcess.use(path: Program.path, arguments: arguments) { receiver in
      _ = try #require(await receiver.lines.wait(for: 1).first)
      try board.configure(DaemonFixture.source("type = \"serial\"\ndevice = \"\(link)\""))
      try await board.use { _ in
        let current = try await board.run("locate", "--last", "--json", "--timeout", "20")
        #expect(current.code == 0 && current.lines.last?.contains(#""lat":"#) == true)
        #expect(current.lines.last?.contains(#""last""#) == false, "\(current.lines)")
        _ = await receiver.end()
        // The daemon reports the current position until it notices the loss.
        var lines: [String] = []
        while lines.last?.contains(#""last":true"#) != true, !Task.isCancelled {
          lines = try await board.run("locate", "--last", "--json", "--timeout", "20").lines
        }
        #expect(lines.last?.contains(#""lat":"#) == true, "\(lines)")
        #expect(lines.last?.contains(#""age":"#) == true, "\(lines)")
        let text = try await board.run("locate", "--last")
        #expect(text.lines.contains("note      not current: the last known position"))
        #expect(text.lines.contains { $0.hasPrefix("time") && $0.hasSuffix(" s ago") })
        // Without --last, an old position is never printed.
        let none = try await board.run("locate", "--timeout", "1")
        #expect(none.code == 75 && !none.lines.contains { $0.contains("position  ") })
      }
      try await board.use { _ in
        let none = try await board.run("locate", "--last", "--timeout", "1")
        #expect(none.code == 75, "\(none.lines)")
      }
    }
  }

  @Test func `locate --last without a daemon, or with --source, exits with 69 and says what to do`() async throws {
    let (lines, code) = try await Program.run("locate", "--last", "--source", "simulated")
    #expect(code == 69)
    #expect(
      lines == [
        "fixcast: --last: only the daemon keeps the last position; leave out --source, and start "
          + "the daemon: sudo systemctl start fixcast"
      ])
  }
}
