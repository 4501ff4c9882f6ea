// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Reconnecting to an absent gpsd, with a simulated clock.
@Suite struct GPSDReconnectTests {
  private static let second: Int64 = 1_000_000_000

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a gpsd session connects within two seconds to a gpsd that starts a minute later`(seed: UInt64) throws {
    var bench = GPSDBench()
    bench.session = GPSDSession(address: "test:2947", seed: seed)
    #expect(bench.start() == [.connect])
    let startsAt = bench.now + 60 * Self.second
    var waits: [Int64] = []
    while bench.now < startsAt, waits.count < 1000 {
      bench.send(.connectFailed(.refused(isLoopback: true)))
      let deadline = try #require(bench.session.deadline).nanoseconds
      waits.append(deadline - bench.now)
      // No attempt is made before the deadline.
      bench.now = deadline - 1
      #expect(bench.send(.tick).isEmpty)
      bench.now = deadline
      #expect(bench.send(.tick) == [.connect])
    }
    #expect(waits.allSatisfy { (1...2 * Self.second).contains($0) })
    // The attempts are frequent enough to connect soon, and rare enough to cause little load.
    #expect((30...70).contains(waits.count), "\(waits.count)")
    #expect(bench.now - startsAt < 2 * Self.second)
    #expect(bench.events.map(\.kind) == ["lost unreachable"])

    bench.send(.connected)
    let greeting = GPSDReport.version(release: "3.22", protocolMajor: 3, protocolMinor: 14)
    #expect(bench.send(.report(greeting)).first == .watch)
    bench.sendEpochs(4)
    #expect(bench.fixes.count == 4)
    // The successful connection has reset the back-off.
    bench.send(.readFailed)
    let nextWait = try #require(bench.session.deadline).nanoseconds - bench.now
    #expect(nextWait <= Self.second / 10)
  }

  @Test func `without gpsd, a gpsd session retries at a constant rate for a day and reports one loss`() throws {
    var bench = GPSDBench()
    bench.start()
    let end = bench.now + 86_400 * Self.second
    var attempts = 0
    while bench.now < end, attempts < 100_000 {
      bench.send(.connectFailed(.refused(isLoopback: true)))
      bench.now = try #require(bench.session.deadline).nanoseconds
      #expect(bench.send(.tick) == [.connect])
      attempts += 1
    }
    // From the sixth attempt on, each wait lasts one to two seconds.
    #expect((43_200...86_500).contains(attempts))
    #expect(bench.events.map(\.kind) == ["lost unreachable"])
    #expect(bench.session.counters.losses == 1)
  }

  @Test(arguments: [
    ("localhost:2947", true), ("127.0.0.1:2947", true), ("[::1]:2947", true),
    ("pi.local:2947", false),
  ])
  func `a gpsd session reads another board's Fixcast, but not the daemon of its own board`(
    address: String, isRefused: Bool
  ) {
    var bench = GPSDBench()
    bench.session = GPSDSession(address: address, seed: 1)
    bench.start()
    bench.send(.connected)
    bench.send(
      .report(.version(release: "3.22", protocolMajor: 3, protocolMinor: 14, isFixcast: true)))
    #expect(bench.actions.contains(.close) == isRefused)
    #expect(bench.actions.contains(.watch) == !isRefused)
    #expect(bench.events.compactMap(\.loss).map(\.reason) == (isRefused ? [.incompatible] : []))
  }
}
