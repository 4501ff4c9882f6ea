// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastTesting
import PathMonitorClient
import Testing

@testable import fixcast

@Suite("A path that a script withdraws", .timeLimit(.minutes(5)))
struct PathWithdrawalTests {
  @Test("goes, says that it is scripted, and comes back as it really is")
  func withdrawn() async {
    let clock = ManualClock()
    let monitor = PathMonitorClient.simulatingOutage(
      .satisfied, after: .seconds(10), for: .seconds(3), clock: clock)
    var paths = monitor.networkPaths().makeAsyncIterator()
    #expect(await paths.next() == NetworkPath(status: .satisfied))
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    let withdrawn = await paths.next()
    #expect(withdrawn?.isSatisfied == false && withdrawn?.isScripted == true)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(3))
    #expect(await paths.next() == NetworkPath(status: .satisfied))
  }

  @Test("one that is really gone stays gone")
  func gone() async {
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
