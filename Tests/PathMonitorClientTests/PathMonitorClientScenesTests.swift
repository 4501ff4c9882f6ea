// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Testing

@Suite("Simulated path monitors", .timeLimit(.minutes(5)))
struct PathMonitorClientScenesTests {
  @Test func `a constant monitor publishes its path at once to every subscriber`() async {
    for (client, isSatisfied) in [
      (PathMonitorClient.satisfied, true), (PathMonitorClient.unsatisfied, false),
    ] {
      for _ in 1...2 {
        var paths = client.networkPaths().makeAsyncIterator()
        #expect(await paths.next()?.isSatisfied == isSatisfied)
      }
    }
  }

  @Test func `the flakey monitor is unsatisfied after two seconds and changes every two seconds`() async {
    let clock = ManualClock()
    var paths = PathMonitorClient.flakey(clock: clock).networkPaths().makeAsyncIterator()
    for isSatisfied in [false, true, false, true] {
      await clock.waitForSleepers(1)
      // The client must sleep for exactly this time.
      #expect(clock.advanceToNextDeadline() == .seconds(2))
      #expect(await paths.next()?.isSatisfied == isSatisfied)
    }
  }

  @Test func `the scripted monitor publishes its steps in order and stops without subscribers`() async {
    let clock = ManualClock()
    let noCarrier = NetworkPath(status: .unsatisfied, reason: .noCarrier)
    let client = PathMonitorClient.scripted(
      [(.zero, NetworkPath(status: .satisfied)), (.seconds(10), noCarrier)], clock: clock)
    let stream = client.networkPaths()
    var paths = stream.makeAsyncIterator()
    #expect(await paths.next() == NetworkPath(status: .satisfied))
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    #expect(await paths.next() == noCarrier)
    // A later subscriber receives the same path. Without subscribers the script is reset.
    do {
      var late = client.networkPaths().makeAsyncIterator()
      #expect(await late.next() == noCarrier)
    }
    let listener = Task { for await _ in stream {} }
    paths = AsyncStream { $0.finish() }.makeAsyncIterator()
    listener.cancel()
    await listener.value
    do {
      var again = client.networkPaths().makeAsyncIterator()
      #expect(await again.next()?.isSatisfied == true)
      await clock.waitForSleepers(1)
    }
    await clock.waitUntilNoSleepers()
    #expect(clock.sleeperCount == 0)
  }

  @Test func `the scripted monitor publishes equal consecutive paths once`() async {
    let clock = ManualClock()
    let satisfied = NetworkPath(status: .satisfied)
    let noCarrier = NetworkPath(status: .unsatisfied, reason: .noCarrier)
    let steps = [satisfied, satisfied, noCarrier, noCarrier, satisfied]
    for first in [Duration.zero, .seconds(1)] {
      let script = steps.enumerated().map { (after: $0 == 0 ? first : .seconds(1), path: $1) }
      let stream = PathMonitorClient.scripted(script, clock: clock).networkPaths()
      for _ in steps.dropFirst(first == .zero ? 1 : 0) {
        await clock.waitForSleepers(1)
        clock.advanceToNextDeadline()
      }
      var received: [NetworkPath] = []
      for await path in stream.prefix(3) { received.append(path) }
      #expect(received == [satisfied, noCarrier, satisfied])
    }
  }

  @Test func `the scripted monitor publishes overdue steps in order`() async {
    let clock = ManualClock()
    let paths = (0..<3).map { count in
      var path = NetworkPath(status: .satisfied)
      path.isExpensive = count == 1
      return path
    }
    let client = PathMonitorClient.scripted(paths.map { (.seconds(1), $0) }, clock: clock)
    let stream = client.networkPaths()
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(3))
    var iterator = stream.makeAsyncIterator()
    for path in paths { #expect(await iterator.next() == path) }
  }
}
