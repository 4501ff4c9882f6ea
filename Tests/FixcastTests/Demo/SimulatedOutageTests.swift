// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastTesting
import PathMonitorClient
import Testing

@testable import fixcast

@Suite("A simulated outage of the network path", .timeLimit(.minutes(5)))
struct SimulatedOutageTests {
  @Test func `a simulated outage reports an unsatisfied, scripted path, and afterwards the real path`() async {
    let clock = ManualClock()
    let monitor = PathMonitorClient.simulatingOutage(
      .satisfied, after: .seconds(10), for: .seconds(3), clock: clock)
    var paths = monitor.networkPaths().makeAsyncIterator()
    #expect(await paths.next() == NetworkPath(status: .satisfied))
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    let outage = await paths.next()
    #expect(outage?.isSatisfied == false && outage?.isScripted == true)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(3))
    #expect(await paths.next() == NetworkPath(status: .satisfied))
  }

  @Test func `a path that is really unsatisfied stays unsatisfied after a simulated outage`() async {
    let clock = ManualClock()
    let monitor = PathMonitorClient.simulatingOutage(
      .unsatisfied, after: .seconds(1), for: .seconds(1), clock: clock)
    var paths = monitor.networkPaths().makeAsyncIterator()
    #expect(await paths.next()?.isSatisfied == false)
    for isScripted in [true, false] {
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      let path = await paths.next()
      #expect(path?.isScripted == isScripted && path?.isSatisfied == false)
    }
  }
}
