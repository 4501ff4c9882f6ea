// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Receivers
import SystemSupport
import Testing

/// The `fixcast locate` command with a gpsd on another host, in network namespaces.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)))
struct LocateGPSDTests {
  /// Returns a board connected to a host that drops all packets.
  private static func board() -> (board: NetworkNamespace, blackHole: NetworkNamespace) {
    let (board, blackHole) = (NetworkNamespace(), NetworkNamespace())
    board.ip("link set lo up")
    board.lay("wan0", to: "isp0", in: blackHole)
    blackHole.ip("link set isp0 up")
    board.ip("addr add 198.51.100.2/24 dev wan0")
    board.ip("link set wan0 up")
    // A static neighbour entry; without it, address resolution would fail after three seconds.
    board.ip("neigh add 198.51.100.9 lladdr 02:00:00:00:00:09 dev wan0")
    return (board, blackHole)
  }

  @Test func `locate times out after four seconds if gpsd's host drops packets`() async throws {
    let (board, blackHole) = Self.board()
    let began = MonotonicTime.now()
    let words = board.command([
      Program.path, "locate", "--source", "gpsd:198.51.100.9", "--timeout", "40",
    ])
    let (lines, code) = try await ChildProcess.run(path: words[0], arguments: Array(words.dropFirst()))
    let seconds = MonotonicTime.now().seconds(since: began)
    #expect(code == 69)
    #expect(lines.last?.hasPrefix("fixcast: gpsd:198.51.100.9:2947: no answer within 4 s; check") == true, "\(lines)")
    #expect(seconds >= 4, "\(seconds)")
    withExtendedLifetime(blackHole) {}
  }
}
