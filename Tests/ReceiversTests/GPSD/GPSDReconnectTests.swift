// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Reconnecting to an absent gpsd, with a simulated clock.
@Suite struct GPSDReconnectTests {
  private static let second: Int64 = 1_000_000_000

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a gpsd session connects within two seconds to a gpsd that starts a minute later`(seed: UInt64) throws {
    var fixture = GPSDSessionFixture()
    fixture.session = GPSDSession(address: "test:2947", seed: seed)
    #expect(fixture.start() == [.connect])
    let startsAt = fixture.now + 60 * Self.second
    var waits: [Int64] = []
    while fixture.now < startsAt, waits.count < 1000 {
      fixture.send(.connectFailed(.refused(isLoopback: true)))
      let deadline = try #require(fixture.session.deadline).nanoseconds
      waits.append(deadline - fixture.now)
      // No attempt is made before the deadline.
      fixture.now = deadline - 1
      #expect(fixture.send(.tick).isEmpty)
      fixture.now = deadline
      #expect(fixture.send(.tick) == [.connect])
    }
    #expect(waits.allSatisfy { (1...2 * Self.second).contains($0) })
    // The attempts are frequent enough to connect soon, and rare enough to cause little load.
    #expect((30...70).contains(waits.count), "\(waits.count)")
    #expect(fixture.now - startsAt < 2 * Self.second)
    #expect(fixture.events.map(\.kind) == ["lost unreachable"])

    fixture.send(.connected)
    let greeting = GPSDReport.version(release: "3.22", protocolMajor: 3, protocolMinor: 14)
    #expect(fixture.send(.report(greeting)).first == .watch)
    fixture.sendEpochs(4)
    #expect(fixture.fixes.count == 4)
    // The successful connection has reset the back-off.
    fixture.send(.readFailed)
    let nextWait = try #require(fixture.session.deadline).nanoseconds - fixture.now
    #expect(nextWait <= Self.second / 10)
  }

  @Test func `without gpsd, a gpsd session retries at a constant rate for a day and reports one loss`() throws {
    var fixture = GPSDSessionFixture()
    fixture.start()
    let end = fixture.now + 86_400 * Self.second
    var attempts = 0
    while fixture.now < end, attempts < 100_000 {
      fixture.send(.connectFailed(.refused(isLoopback: true)))
      fixture.now = try #require(fixture.session.deadline).nanoseconds
      #expect(fixture.send(.tick) == [.connect])
      attempts += 1
    }
    // From the sixth attempt on, each wait lasts one to two seconds.
    #expect((43_200...86_500).contains(attempts))
    #expect(fixture.events.map(\.kind) == ["lost unreachable"])
    #expect(fixture.session.counters.losses == 1)
  }

  @Test(arguments: [
    ("localhost:2947", true), ("127.0.0.1:2947", true), ("[::1]:2947", true),
    ("pi.local:2947", false),
  ])
  func `a gpsd session reads another board's Fixcast, but not the daemon of its own board`(
    address: String, isRefused: Bool
  ) {
    var fixture = GPSDSessionFixture()
    fixture.session = GPSDSession(address: address, seed: 1)
    fixture.start()
    fixture.send(.connected)
    fixture.send(.report(.version(release: "3.22", protocolMajor: 3, protocolMinor: 14, isFixcast: true)))
    #expect(fixture.actions.contains(.close) == isRefused)
    #expect(fixture.actions.contains(.watch) == !isRefused)
    #expect(fixture.events.compactMap(\.loss).map(\.reason) == (isRefused ? [.incompatible] : []))
  }
}
