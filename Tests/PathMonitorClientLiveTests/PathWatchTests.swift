// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Testing

@testable import PathMonitorClientLive

@Suite("Path watch")
struct PathWatchTests {
  static let satisfied = NetworkPath(status: .satisfied)
  static let withoutDNS = NetworkPath(status: .satisfied, reason: .dnsMissing)
  static let noRoute = NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)
  static let noCarrier = NetworkPath(status: .unsatisfied, reason: .noCarrier)
  static let timing = PathWatch.Timing(quiet: 50, limit: 1000, hold: 1000, backstop: 15_000)

  /// Makes a watch that has published a path at time 0.
  private func watch(_ path: NetworkPath) -> PathWatch {
    var watch = PathWatch(timing: Self.timing)
    #expect(watch.handle(.deadlineReached, at: 0) == [.read])
    #expect(watch.handle(.read(path), at: 0) == [.publish(path)])
    return watch
  }

  @Test(arguments: [satisfied, noRoute])
  func `the first path is published at once, whatever its status`(path: NetworkPath) {
    #expect(watch(path).published == path)
  }

  @Test func `a change is read after 50 to 100 ms without changes, or after a second at the latest`() {
    let timing = PathWatch.Timing()
    #expect((50_000_000...100_000_000).contains(timing.quiet))
    #expect(timing.limit == 1_000_000_000)
    var watch = watch(Self.satisfied)
    #expect(watch.handle(.changed, at: 100) == [])
    #expect(watch.handle(.changed, at: 120) == [])
    #expect(watch.deadline == 170)
    #expect(watch.handle(.deadlineReached, at: 169) == [])
    #expect(watch.handle(.deadlineReached, at: 170) == [.read])
    #expect(watch.handle(.read(Self.satisfied), at: 171) == [])
    #expect(watch.deadline == 15_171)
  }

  @Test func `the path watch publishes a loss at once, and a satisfied path after the hold time`() {
    var watch = watch(Self.satisfied)
    #expect(watch.handle(.read(Self.noRoute), at: 10) == [.publish(Self.noRoute)])
    #expect(watch.handle(.read(Self.satisfied), at: 20) == [])
    #expect(watch.deadline == 1020)
    #expect(watch.handle(.deadlineReached, at: 1019) == [])
    #expect(watch.handle(.deadlineReached, at: 1020) == [.publish(Self.satisfied)])
    #expect(watch.handle(.deadlineReached, at: 1021) == [])
  }

  @Test func `a satisfied path that does not last for the hold time is never published`() {
    var watch = watch(Self.noRoute)
    #expect(watch.handle(.read(Self.satisfied), at: 10) == [])
    #expect(watch.handle(.read(Self.noRoute), at: 500) == [])
    #expect(watch.handle(.deadlineReached, at: 1010) == [])
    #expect(watch.handle(.read(Self.satisfied), at: 1100) == [])
    #expect(watch.handle(.read(Self.noCarrier), at: 1200) == [.publish(Self.noCarrier)])
    #expect(watch.handle(.deadlineReached, at: 5000) == [])
    #expect(watch.published == Self.noCarrier)
  }

  @Test func `a path that changes during the hold time after a loss is published as last read`() {
    var watch = watch(Self.noRoute)
    _ = watch.handle(.read(Self.satisfied), at: 10)
    _ = watch.handle(.read(Self.withoutDNS), at: 900)
    #expect(watch.handle(.deadlineReached, at: 1010) == [.publish(Self.withoutDNS)])
  }

  @Test func `a path held after a loss is not published while a change has not been read`() {
    var watch = watch(Self.noRoute)
    _ = watch.handle(.read(Self.satisfied), at: 10)
    _ = watch.handle(.changed, at: 1000)
    #expect(watch.handle(.deadlineReached, at: 1010) == [])
    #expect(watch.deadline == 1050)
    #expect(watch.handle(.deadlineReached, at: 1050) == [.read])
    #expect(watch.handle(.read(Self.noRoute), at: 1051) == [])
  }

  @Test func `a change from one satisfied path to another is published without delay`() {
    var watch = watch(Self.satisfied)
    #expect(watch.handle(.read(Self.withoutDNS), at: 10) == [.publish(Self.withoutDNS)])
  }

  @Test func `a clock jump causes an immediate read of the path`() {
    var watch = watch(Self.satisfied)
    #expect(watch.handle(.clockJumped, at: 10) == [.read])
    #expect(watch.handle(.read(Self.satisfied), at: 11) == [])
  }

  @Test func `a failed read of the path is retried with delays that double up to the backstop interval`() {
    let error = NetlinkError(call: "recv", number: 110)
    let timing = PathWatch.Timing(quiet: 50, hold: 1000, backstop: 1000, retry: 100)
    var watch = PathWatch(timing: timing)
    _ = watch.handle(.deadlineReached, at: 0)
    _ = watch.handle(.read(Self.satisfied), at: 0)
    var now: UInt64 = 1000
    #expect(watch.handle(.deadlineReached, at: now) == [.read])
    // A single failure is not published.
    #expect(watch.handle(.failed(error), at: now) == [])
    for (wait, actions) in [
      (100, [.publish(.unknown(error))]), (200, []), (400, []), (800, []), (1000, []), (1000, []),
    ] as [(UInt64, [PathWatch.Action])] {
      #expect(watch.deadline == now + wait)
      now += wait
      #expect(watch.handle(.deadlineReached, at: now) == [.read])
      #expect(watch.handle(.failed(error), at: now) == actions)
    }
    #expect(watch.handle(.read(Self.satisfied), at: now) == [.publish(Self.satisfied)])
    #expect(watch.deadline == now + 1000)
    #expect(watch.handle(.failed(error), at: now) == [])
    #expect(watch.deadline == now + 100)
  }

  @Test func `without changes, the path watch reads only at the backstop interval`() {
    var watch = watch(Self.satisfied)
    var reads = 0
    for _ in 1...10 {
      let deadline = watch.deadline
      #expect(watch.handle(.deadlineReached, at: deadline) == [.read])
      #expect(watch.handle(.read(Self.satisfied), at: deadline) == [])
      reads += 1
    }
    #expect(watch.deadline == UInt64(reads + 1) * 15_000)
  }

  @Test func `with default timing, the path watch reads four times in a minute without changes`() {
    var watch = PathWatch()
    #expect(watch.handle(.deadlineReached, at: 0) == [.read])
    #expect(watch.handle(.read(Self.satisfied), at: 0) == [.publish(Self.satisfied)])
    var (deadlines, reads) = (0, 0)
    while watch.deadline <= 60_000_000_000 {
      let now = watch.deadline
      deadlines += 1
      for action in watch.handle(.deadlineReached, at: now) where action == .read {
        reads += 1
        #expect(watch.handle(.read(Self.satisfied), at: now) == [])
      }
    }
    #expect(deadlines == 4 && reads == 4)
  }

  @Test func `after random events, no path is repeated, and the last published path is current`() {
    var generator = SeededGenerator(seed: 61)
    var publications = 0
    for _ in 0..<10_000 {
      var watch = PathWatch(timing: Self.timing)
      var now: UInt64 = 0
      var snapshot = SnapshotMaker.snapshot(using: &generator)
      var published: [NetworkPath] = []
      func step(_ event: PathWatch.Event) {
        var actions = watch.handle(event, at: now)[...]
        while let action = actions.popFirst() {
          switch action {
          case .read:
            actions += watch.handle(.read(NetworkPath(snapshot, to: .internet)), at: now)
          case .publish(let path): published.append(path)
          }
        }
      }
      step(.deadlineReached)
      for _ in 0..<12 {
        now += UInt64.random(in: 0...1200, using: &generator)
        // Only some changes cause a notification.
        if Bool.random(using: &generator) {
          snapshot = SnapshotMaker.snapshot(using: &generator)
        }
        step(
          [.changed, .deadlineReached, .clockJumped].randomElement(using: &generator)
            ?? .deadlineReached)
      }
      // Reads at the backstop interval find changes without a notification; the last path is held
      // long enough.
      for _ in 0..<3 {
        now = max(now, watch.deadline)
        step(.deadlineReached)
      }
      now = max(now + 2000, watch.deadline)
      step(.deadlineReached)
      #expect(zip(published, published.dropFirst()).allSatisfy { $0 != $1 })
      #expect(published.last == NetworkPath(snapshot, to: .internet))
      publications += published.count
    }
    #expect(publications > 20_000)
  }
}

/// Snapshots of boards with one or two interfaces in any state.
enum SnapshotMaker {
  static func snapshot(using generator: inout some RandomNumberGenerator) -> NetworkSnapshot {
    var links: [NetworkSnapshot.Link] = []
    var addresses: [NetworkSnapshot.Address] = []
    var routes: [NetworkSnapshot.Route] = []
    for (index, name) in [(2 as Int32, "eth0"), (3, "wwan0")] where chance(3, &generator) {
      links.append(
        NetworkPathDecisionTests.link(
          index, name, up: chance(5, &generator), running: chance(5, &generator)))
      for family in [NetworkSnapshot.Family.ipv4, .ipv6] where chance(3, &generator) {
        addresses.append(
          NetworkPathDecisionTests.address(
            index, family, global: chance(4, &generator), usable: chance(6, &generator)))
        guard chance(3, &generator) else { continue }
        routes.append(
          NetworkPathDecisionTests.route(
            index, family, metric: UInt32.random(in: 0...3, using: &generator),
            kind: chance(8, &generator) ? .forwards : .rejects, down: !chance(6, &generator)))
      }
    }
    return NetworkPathDecisionTests.snapshot(
      links, addresses, routes, dns: chance(4, &generator))
  }

  /// Returns false with a probability of 1 in `count`.
  private static func chance(_ count: Int, _ generator: inout some RandomNumberGenerator) -> Bool {
    Int.random(in: 0..<count, using: &generator) != 0
  }
}
