// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Pipeline

/// Who does the work that tasks share, with times of the test's own.
@Suite("Duty roster")
struct JobQueueTests {
  /// A roster with one that has been hired and rests; a job may take ten.
  private static func roster(limit: Int = 3) -> JobQueue<String> {
    var roster = JobQueue<String>(limit: limit, patienceNanoseconds: 10)
    #expect(roster.hire(at: time(0)) == 0)
    #expect(roster.next(for: 0, at: time(0)) == nil)
    return roster
  }

  private static func time(_ nanoseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds)
  }

  @Test("one is called for a burst, and does it all in order, what its own jobs bring included")
  func burst() {
    var roster = Self.roster()
    #expect(roster.add("a", at: Self.time(1)) == .wake(0))
    #expect(roster.add("b", at: Self.time(2)) == .nobody)
    #expect(roster.next(for: 0, at: Self.time(3)) == "a")
    #expect(roster.add("c", at: Self.time(4)) == .nobody)
    #expect(roster.next(for: 0, at: Self.time(5)) == "b")
    #expect(roster.next(for: 0, at: Self.time(6)) == "c")
    #expect(roster.next(for: 0, at: Self.time(7)) == nil)
    #expect(roster.add("d", at: Self.time(8)) == .wake(0))
  }

  @Test("many short jobs are no long one")
  func shortJobs() {
    var roster = Self.roster()
    #expect(roster.add("0", at: Self.time(0)) == .wake(0))
    for job in 1...9 {
      let time = Self.time(Int64(job) * 8)
      #expect(roster.next(for: 0, at: time) == "\(job - 1)")
      #expect(roster.add("\(job)", at: time.advanced(byNanoseconds: 7)) == .nobody)
    }
  }

  @Test("one that is stuck is relieved by the next job that comes, and rests when it is done")
  func relief() {
    var roster = Self.roster()
    #expect(roster.add("stuck", at: Self.time(0)) == .wake(0))
    #expect(roster.next(for: 0, at: Self.time(0)) == "stuck")
    #expect(roster.add("a", at: Self.time(10)) == .nobody)
    #expect(roster.add("b", at: Self.time(11)) == .start(1))
    #expect(roster.add("c", at: Self.time(12)) == .nobody)
    #expect(roster.next(for: 1, at: Self.time(13)) == "a")
    // Back, with one at work: that one goes on alone.
    #expect(roster.next(for: 0, at: Self.time(14)) == nil)
    #expect(roster.next(for: 1, at: Self.time(15)) == "b")
    #expect(roster.next(for: 1, at: Self.time(16)) == "c")
    #expect(roster.next(for: 1, at: Self.time(17)) == nil)
    #expect(roster.add("d", at: Self.time(18)) == .wake(1))
    #expect(roster.next(for: 1, at: Self.time(18)) == "d")
    // Nobody new while one rests.
    #expect(roster.add("e", at: Self.time(29)) == .wake(0))
  }

  @Test("with all of them stuck what comes waits for the first that is done")
  func allStuck() {
    var roster = Self.roster(limit: 2)
    #expect(roster.add("stuck", at: Self.time(0)) == .wake(0))
    #expect(roster.next(for: 0, at: Self.time(0)) == "stuck")
    #expect(roster.add("stuck too", at: Self.time(20)) == .start(1))
    #expect(roster.next(for: 1, at: Self.time(20)) == "stuck too")
    #expect(roster.add("a", at: Self.time(40)) == .nobody)
    #expect(roster.add("b", at: Self.time(41)) == .nobody)
    #expect(roster.next(for: 0, at: Self.time(50)) == "a")
    // It has the duty again.
    #expect(roster.next(for: 1, at: Self.time(51)) == nil)
    #expect(roster.next(for: 0, at: Self.time(52)) == "b")
  }

  @Test("where no thread is to be had, what waits is for whoever is done or called next")
  func noThread() {
    var roster = Self.roster()
    #expect(roster.add("stuck", at: Self.time(0)) == .wake(0))
    #expect(roster.next(for: 0, at: Self.time(0)) == "stuck")
    #expect(roster.add("a", at: Self.time(20)) == .start(1))
    #expect(roster.couldNotStart(1, at: Self.time(20)) == .nobody)
    #expect(roster.add("b", at: Self.time(21)) == .start(1))
    #expect(roster.couldNotStart(1, at: Self.time(21)) == .nobody)
    #expect(roster.next(for: 0, at: Self.time(22)) == "a")
    #expect(roster.next(for: 0, at: Self.time(23)) == "b")
    #expect(roster.next(for: 0, at: Self.time(24)) == nil)
    #expect(roster.add("c", at: Self.time(25)) == .wake(0))
  }

  @Test("one that has gone to rest for another is called again where that one is not to be had")
  func noThreadAfterRest() {
    var roster = Self.roster()
    #expect(roster.add("stuck", at: Self.time(0)) == .wake(0))
    #expect(roster.next(for: 0, at: Self.time(0)) == "stuck")
    #expect(roster.add("a", at: Self.time(20)) == .start(1))
    #expect(roster.next(for: 0, at: Self.time(21)) == nil)
    #expect(roster.couldNotStart(1, at: Self.time(22)) == .wake(0))
    #expect(roster.next(for: 0, at: Self.time(22)) == "a")
  }

  @Test("one that is not to be had takes nothing from one that was hired meanwhile")
  func noThreadOfTwo() {
    var roster = Self.roster()
    #expect(roster.add("stuck", at: Self.time(0)) == .wake(0))
    #expect(roster.next(for: 0, at: Self.time(0)) == "stuck")
    #expect(roster.add("a", at: Self.time(20)) == .start(1))
    #expect(roster.add("b", at: Self.time(40)) == .start(2))
    #expect(roster.couldNotStart(1, at: Self.time(41)) == .nobody)
    #expect(roster.next(for: 2, at: Self.time(42)) == "a")
    // The number is free again, and the duty is the other's.
    #expect(roster.add("c", at: Self.time(43)) == .nobody)
    #expect(roster.add("d", at: Self.time(60)) == .start(1))
  }
}
