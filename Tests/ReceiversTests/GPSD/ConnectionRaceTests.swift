// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// The order and timing of attempts to connect to a host's addresses, with a simulated clock.
@Suite struct ConnectionRaceTests {
  private static let second: Int64 = 1_000_000_000
  private static let headStart = ConnectionRace.headStartNanoseconds

  private func time(_ nanoseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds)
  }

  private func race(_ count: Int) -> ConnectionRace {
    ConnectionRace(count: count, startsAt: time(0), timeoutNanoseconds: 4 * Self.second)
  }

  @Test func `a race tries the next address 250 ms after an address that does not answer`() {
    var race = race(3)
    #expect(race.next(at: time(0)) == .start(0))
    #expect(race.next(at: time(0)) == .wait(until: time(Self.headStart)))
    #expect(race.next(at: time(Self.headStart)) == .start(1))
    #expect(race.next(at: time(Self.headStart)) == .wait(until: time(2 * Self.headStart)))
    #expect(race.next(at: time(2 * Self.headStart)) == .start(2))
    #expect(race.next(at: time(2 * Self.headStart)) == .wait(until: time(4 * Self.second)))
  }

  @Test func `a race tries the next address at once if an address refuses the connection`() {
    var race = race(2)
    #expect(race.next(at: time(0)) == .start(0))
    race.fail(111)
    #expect(race.next(at: time(0)) == .start(1))
    race.fail(113)
    #expect(race.next(at: time(0)) == .giveUp(errorNumber: 111))
  }

  @Test(arguments: [1, 2, 16])
  func `all connection attempts are abandoned at the common deadline`(count: Int) {
    var race = race(count)
    var (now, started) = (Int64(0), 0)
    // Performs each step, like the connector.
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
    Issue.record("the race did not give up")
  }

  @Test func `a race that times out and a race without addresses give up without an errno`() {
    var race = race(2)
    _ = race.next(at: time(0))
    race.fail(111)
    _ = race.next(at: time(0))
    #expect(race.next(at: time(4 * Self.second)) == .giveUp(errorNumber: nil))
    var empty = self.race(0)
    #expect(empty.next(at: time(0)) == .giveUp(errorNumber: nil))
  }
}
