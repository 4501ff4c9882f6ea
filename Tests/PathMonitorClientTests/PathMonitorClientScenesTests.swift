// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Testing

@Suite("Played path monitors", .timeLimit(.minutes(1)))
struct PathMonitorClientScenesTests {
  @Test("say at once what they are, to every listener, again after a cancel")
  func constant() async {
    for (client, isSatisfied) in [
      (PathMonitorClient.satisfied, true), (PathMonitorClient.unsatisfied, false),
    ] {
      for _ in 1...2 {
        var paths = client.networkPaths().makeAsyncIterator()
        #expect(await paths.next()?.isSatisfied == isSatisfied)
      }
    }
  }

  @Test("flakey begins unsatisfied after two seconds and changes every two")
  func flakey() async {
    let clock = ManualClock()
    var paths = PathMonitorClient.flakey(clock: clock).networkPaths().makeAsyncIterator()
    for isSatisfied in [false, true, false, true] {
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(2))
      #expect(await paths.next()?.isSatisfied == isSatisfied)
    }
  }

  @Test("scripted plays its steps and stops when nobody listens")
  func scripted() async {
    let clock = ManualClock()
    let lost = NetworkPath(status: .unsatisfied, reason: .noCarrier)
    let client = PathMonitorClient.scripted(
      [(.zero, NetworkPath(status: .satisfied)), (.seconds(10), lost)], clock: clock)
    let stream = client.networkPaths()
    var paths = stream.makeAsyncIterator()
    #expect(await paths.next() == NetworkPath(status: .satisfied))
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    #expect(await paths.next() == lost)
    let cancelled = Task { for await _ in client.networkPaths() {} }
    await clock.waitForSleepers(1)
    cancelled.cancel()
    await cancelled.value
    while clock.sleeperCount > 0 { await Task.yield() }
  }
}
