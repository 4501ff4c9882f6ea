// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Synchronization
import Testing

/// Simulated monitors, tested with the same suite as the live monitor.
@Suite("Path streams of simulated monitors", .timeLimit(.minutes(5)))
struct PathStreamConformanceTests {
  @Test func `a constant monitor passes the stream conformance suite`() async {
    for (client, path) in [
      (PathMonitorClient.satisfied, NetworkPath(status: .satisfied)),
      (.unsatisfied, NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)),
    ] {
      let suite = StreamConformance(
        beginning: .state { path }, provoke: nil, subscribe: client.networkPaths)
      #expect(await suite.breaches().isEmpty)
    }
  }

  private func breaches(
    of client: PathMonitorClient, every step: Duration, on clock: ManualClock,
    startingWith first: NetworkPath.Status?
  ) async -> [StreamBreach] {
    // The statuses after three changes, and after the first change of a restarted simulation.
    let expected = Mutex<[NetworkPath.Status]>([
      .unsatisfied, .satisfied, .unsatisfied, .unsatisfied,
    ])
    let changeUnobserved: @Sendable () async -> StreamConformance<NetworkPath>.Predicate = {
      clock.advance(by: step)
      return { $0.status == first }
    }
    let suite = StreamConformance<NetworkPath>(
      beginning: .newest(isAvailableAtOnce: first != nil),
      waitForRunning: { await $0 ? clock.waitForSleepers(1) : clock.waitUntilNoSleepers() },
      provokeUnobserved: first == nil ? nil : changeUnobserved,
      provoke: {
        await clock.waitForSleepers(1)
        clock.advance(by: step)
        let status = expected.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return { $0.status == status }
      }, subscribe: client.networkPaths)
    return await suite.breaches()
  }

  @Test func `a flakey monitor passes the stream conformance suite`() async {
    let clock = ManualClock()
    #expect(
      await breaches(
        of: .flakey(clock: clock), every: .seconds(2), on: clock, startingWith: nil
      ).isEmpty)
  }

  @Test func `a scripted monitor passes the stream conformance suite`() async {
    let clock = ManualClock()
    let steps = (0..<10).map { count in
      (
        after: count == 0 ? Duration.zero : .seconds(5),
        path: NetworkPath(status: count.isMultiple(of: 2) ? .satisfied : .unsatisfied)
      )
    }
    #expect(
      await breaches(
        of: .scripted(steps, clock: clock), every: .seconds(5), on: clock, startingWith: .satisfied
      ).isEmpty)
  }
}
