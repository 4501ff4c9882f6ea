// SPDX-License-Identifier: Apache-2.0

import ClientTesting
import PathMonitorClient
import Testing

@Suite(.timeLimit(.minutes(1))) struct ClientTests {
  @Test func `each change of the network is shown`() async {
    let clock = ManualClock()
    let shown = EventRecorder<Bool>()
    let following = Task {
      for await path in PathMonitorClient.flakey(clock: clock).networkPaths() {
        shown.record(path.isSatisfied)
      }
    }
    for count in 1...2 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(2))
      await shown.wait(for: count)
    }
    #expect(shown.events == [false, true])
    following.cancel()
  }

  @Test func `an own monitor follows the rules of streams`() async {
    let path = NetworkPath(status: .satisfied)
    let monitor = PathMonitorClient { AsyncStream { $0.yield(path) } }
    let suite = StreamConformance(
      beginning: .state { path }, provoke: nil, subscribe: monitor.networkPaths)
    #expect(await suite.breaches().isEmpty)
  }
}
