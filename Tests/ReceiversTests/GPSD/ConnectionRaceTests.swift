// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Which of a host's addresses is tried when, on a clock that the test moves.
@Suite struct ConnectionRaceTests {
  private static let second: Int64 = 1_000_000_000
  private static let headStart = ConnectionRace.headStartNanoseconds

  private func time(_ nanoseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds)
  }

  private func race(_ count: Int) -> ConnectionRace {
    ConnectionRace(count: count, startsAt: time(0), patienceNanoseconds: 4 * Self.second)
  }

  @Test func `an address that does not answer gets a head start, and then company`() {
    var race = race(3)
    #expect(race.next(at: time(0)) == .start(0))
    #expect(race.next(at: time(0)) == .wait(until: time(Self.headStart)))
    #expect(race.next(at: time(Self.headStart)) == .start(1))
    #expect(race.next(at: time(Self.headStart)) == .wait(until: time(2 * Self.headStart)))
    #expect(race.next(at: time(2 * Self.headStart)) == .start(2))
    #expect(race.next(at: time(2 * Self.headStart)) == .wait(until: time(4 * Self.second)))
  }

  @Test func `an address that refuses makes room for the next at once`() {
    var race = race(2)
    #expect(race.next(at: time(0)) == .start(0))
    race.fail(111)
    #expect(race.next(at: time(0)) == .start(1))
    race.fail(113)
    #expect(race.next(at: time(0)) == .giveUp(errorNumber: 111))
  }

  @Test(arguments: [1, 2, 16])
  func `all are given up together when the one deadline has passed`(count: Int) {
    var race = race(count)
    var (now, started) = (Int64(0), 0)
    // Driven as a shell would, to whatever is asked for next.
    for _ in 0..<100 {
      switch race.next(at: time(now)) {
      case .start(let index):
        #expect(index == started)
        started += 1
      case .wait(let until):
        #expect(until > time(now))
        now = until.nanoseconds
      case .giveUp(let number):
        #expect(number == nil)
        #expect(now == 4 * Self.second)
        #expect(started == min(count, 16))
        return
      }
    }
    Issue.record("no end")
  }

  @Test func `a silent address outweighs one that refused, and nothing at all fails at once`() {
    var race = race(2)
    _ = race.next(at: time(0))
    race.fail(111)
    _ = race.next(at: time(0))
    #expect(race.next(at: time(4 * Self.second)) == .giveUp(errorNumber: nil))
    var none = self.race(0)
    #expect(none.next(at: time(0)) == .giveUp(errorNumber: nil))
  }
}
