// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Synchronization
import Testing

@testable import PathMonitorClientLive

/// The live monitor, tested with the same suite as the simulated monitors.
@Suite("Path streams of the live monitor", .timeLimit(.minutes(5)))
struct PathStreamConformanceTests {
  @Test(.enabled(if: NetworkFixture.isPermitted, NetworkFixture.skipReason))
  func `a live monitor in a network namespace passes the stream conformance suite`() async throws {
    let network = try NetworkFixture()
    network.connect()
    let (board, monitor, openSockets) = (network.board, network.monitor, network.openSockets)
    // The notification of a new carrier may be delayed.
    for await path in monitor.subscribe() where path.isSatisfied { break }
    await openSockets.wait { $0.last == 0 }
    let isConnected = Mutex(true)
    let provoke: @Sendable () async -> @Sendable (NetworkPath) -> Bool = {
      let connects = isConnected.withLock {
        $0.toggle()
        return $0
      }
      board.ip("route \(connects ? "add" : "del") default via 198.51.100.1")
      return { $0.isSatisfied == connects }
    }
    let suite = StreamConformance<NetworkPath>(
      beginning: .newest(isAvailableAtOnce: true),
      waitForRunning: { isExpected in
        await openSockets.wait { ($0.last ?? 0 > 0) == isExpected }
        if monitor.isWatching != isExpected { Issue.record("isWatching differs") }
      },
      provokeUnobserved: provoke, provoke: provoke,
      subscribe: PathMonitorClient.live(over: monitor).networkPaths)
    #expect(await suite.breaches().map(\.description) == [])
  }
}
