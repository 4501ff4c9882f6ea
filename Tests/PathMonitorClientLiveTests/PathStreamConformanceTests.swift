// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Synchronization
import Testing

@testable import PathMonitorClientLive

/// The live monitor, by the suite that the played ones pass too.
@Suite("Path streams, live", .timeLimit(.minutes(2)))
struct PathStreamConformanceTests {
  @Test(.enabled(if: Lab.isPermitted, Lab.needs))
  func `a monitor in a network namespace keeps the rules of streams`() async {
    let (board, isp) = (NetworkNamespace(), NetworkNamespace())
    board.lay("wan0", to: "isp0", in: isp)
    isp.ip("link set isp0 up")
    isp.ip("addr add 198.51.100.1/24 dev isp0")
    board.ip("addr add 198.51.100.2/24 dev wan0")
    board.ip("link set wan0 up")
    board.ip("route add default via 198.51.100.1")

    let monitor = NetlinkPathMonitor(
      PathInquiry(destination: .internet, hasNameserver: { true }, deviceType: { _ in nil }),
      timing: Lab.prompt,
      openSocket: { isListening throws(NetlinkError) in
        try board.openSocket(isListening: isListening)
      })
    let isConnected = Mutex(true)
    let suite = StreamConformance<NetworkPath>(
      beginning: .newest(isFoundAtOnce: true), isRunning: { monitor.isWatching },
      provoke: {
        let connects = isConnected.withLock {
          $0.toggle()
          return $0
        }
        board.ip("route \(connects ? "add" : "del") default via 198.51.100.1")
        return { $0.isSatisfied == connects }
      }, subscribe: PathMonitorClient.live(over: monitor).networkPaths)
    #expect(await suite.breaches().map(\.description) == [])
  }
}
