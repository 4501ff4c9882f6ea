// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Receivers
import SystemSupport
import Testing

/// `fixcast locate` at a gpsd on another host, on a network of the test's own.
@Suite(
  .enabled(if: NetworkNamespace.isPermitted, "network namespaces are not permitted here"),
  .timeLimit(.minutes(5)))
struct LocateGPSDTests {
  /// A board on a cable at whose other end everything is dropped.
  private static func board() -> (board: NetworkNamespace, void: NetworkNamespace) {
    let (board, void) = (NetworkNamespace(), NetworkNamespace())
    board.ip("link set lo up")
    board.lay("wan0", to: "isp0", in: void)
    void.ip("link set isp0 up")
    board.ip("addr add 198.51.100.2/24 dev wan0")
    board.ip("link set wan0 up")
    // So that nobody is asked who that is, which would fail by itself after three seconds.
    board.ip("neigh add 198.51.100.9 lladdr 02:00:00:00:00:09 dev wan0")
    return (board, void)
  }

  @Test func `a host that drops what is sent to it is given up after four seconds`() async throws {
    let (board, void) = Self.board()
    let began = MonotonicTime.now()
    let words = board.command([
      Program.path, "locate", "--source", "gpsd:198.51.100.9", "--timeout", "40",
    ])
    let (lines, code) = try await ChildProcess.run(
      path: words[0], arguments: Array(words.dropFirst())
    )
    let seconds = MonotonicTime.now().seconds(since: began)
    #expect(code == 69)
    #expect(
      lines.last?.hasPrefix("fixcast: gpsd:198.51.100.9:2947: no answer in 4 s. Check") == true,
      "\(lines)")
    #expect(seconds >= 4, "\(seconds)")
    withExtendedLifetime(void) {}
  }
}
