// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// A gpsd that is long in coming, on a clock that the test moves.
@Suite struct GPSDReconnectTests {
  private static let second: Int64 = 1_000_000_000

  @Test(
    "is connected within two seconds of a gpsd that starts a minute after it",
    arguments: 0..<20 as Range<UInt64>)
  func minuteLater(seed: UInt64) throws {
    var bench = GPSDBench()
    bench.session = GPSDSession(address: "test:2947", seed: seed)
    #expect(bench.start() == [.connect])
    let startsAt = bench.now + 60 * Self.second
    var waits: [Int64] = []
    while bench.now < startsAt, waits.count < 1000 {
      bench.send(.connectFailed(.refused(isLoopback: true)))
      let deadline = try #require(bench.session.deadline).nanoseconds
      waits.append(deadline - bench.now)
      // Not before its time.
      bench.now = deadline - 1
      #expect(bench.send(.tick).isEmpty)
      bench.now = deadline
      #expect(bench.send(.tick) == [.connect])
    }
    #expect(waits.allSatisfy { (1...2 * Self.second).contains($0) })
    // Often enough to be there soon, and seldom enough to be no burden for a minute.
    #expect((30...70).contains(waits.count), "\(waits.count)")
    #expect(bench.now - startsAt < 2 * Self.second)
    #expect(bench.events.map(\.kind) == ["lost unreachable"])

    bench.send(.connected)
    let greeting = GPSDReport.version(release: "3.22", protocolMajor: 3, protocolMinor: 14)
    #expect(bench.send(.report(greeting)).first == .watch)
    bench.epochs(4)
    #expect(bench.fixes.count == 4)
    // And what went wrong before counts no more.
    bench.send(.readFailed)
    let again = try #require(bench.session.deadline).nanoseconds - bench.now
    #expect(again <= Self.second / 10)
  }

  @Test("goes on for a day without a gpsd, at the same pace and without another word")
  func dayWithout() throws {
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
    // A second to two each, from the sixth on.
    #expect((43_200...86_500).contains(attempts))
    #expect(bench.events.map(\.kind) == ["lost unreachable"])
    #expect(bench.session.counters.losses == 1)
  }
}
