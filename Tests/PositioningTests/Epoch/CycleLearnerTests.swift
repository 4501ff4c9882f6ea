// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Positioning

/// Tests that the end of a cycle is learnt from the kinds and arrival times of reports.
@Suite struct CycleLearnerTests {
  /// A receiver that sends reports of given kinds, with pauses between them.
  private struct Cycles {
    var learner = CycleLearner()
    private var now: Int64 = 0

    /// Sends one cycle of reports and then a pause; returns the indices reported as the end.
    @discardableResult
    mutating func send(
      _ kinds: [UInt32], milliseconds: Int64 = 10, pause: Int64 = 800
    ) -> [Int] {
      learner.beginCycle(at: MonotonicTime(nanoseconds: now))
      var ends: [Int] = []
      for (index, kind) in kinds.enumerated() {
        let time = MonotonicTime(nanoseconds: now)
        if learner.note(ReportKind(rawValue: kind), at: time) { ends.append(index) }
        now += milliseconds * 1_000_000
      }
      now += (pause - milliseconds) * 1_000_000
      return ends
    }
  }

  private static func mark(_ kind: UInt32, _ ordinal: Int = 1) -> CycleLearner.Mark {
    CycleLearner.Mark(kind: ReportKind(rawValue: kind), ordinal: ordinal)
  }

  @Test func `after three equal cycles, the cycle learner reports the learnt end in each cycle`() {
    var cycles = Cycles()
    for _ in 1...3 {
      #expect(cycles.send([1, 2, 3]) == [])
      #expect(cycles.learner.end == nil)
    }
    // The third cycle is evaluated at the start of the fourth.
    for _ in 4...9 {
      #expect(cycles.send([1, 2, 3]) == [2])
      #expect(cycles.learner.end == Self.mark(3))
    }
    #expect(cycles.learner.contradictions == 0)
  }

  @Test func `after a cycle with another last report, the cycle learner needs three equal cycles again`() {
    var cycles = Cycles()
    for kinds: [UInt32] in [[1, 2, 3], [1, 2, 3], [1, 2], [1, 2, 3], [1, 2, 3], [1, 2, 3]] {
      #expect(cycles.send(kinds) == [])
    }
    #expect(cycles.send([1, 2, 3]) == [2])
  }

  @Test func `a contradiction discards the learnt end until three equal cycles have passed again`() {
    var cycles = Cycles()
    for _ in 1...4 { cycles.send([1, 2]) }
    #expect(cycles.learner.end == Self.mark(2))
    cycles.learner.contradict()
    #expect(cycles.learner.end == nil)
    #expect(cycles.learner.contradictions == 1)
    for _ in 1...3 { #expect(cycles.send([1, 2, 3]) == []) }
    #expect(cycles.send([1, 2, 3]) == [2])
    #expect(cycles.learner.end == Self.mark(3))
  }

  @Test func `the cycle learner does not count a contradiction before an end is learnt`() {
    var cycles = Cycles()
    cycles.send([1, 2])
    cycles.learner.contradict()
    #expect(cycles.learner.contradictions == 0)
  }

  @Test func `the learnt end is kept in two cycles without that end, and discarded after the third`() {
    var cycles = Cycles()
    for _ in 1...4 { cycles.send([1, 2, 3]) }
    // The last reports differ, so that no other end is learnt.
    #expect(cycles.send([1, 4]) == [])
    #expect(cycles.send([1, 5]) == [])
    #expect(cycles.send([1, 6]) == [])
    #expect(cycles.learner.end == Self.mark(3))
    cycles.send([1, 7])
    #expect(cycles.learner.end == nil)
  }

  @Test func `a cycle with the learnt end resets the count of cycles without that end`() {
    var cycles = Cycles()
    for _ in 1...4 { cycles.send([1, 2, 3]) }
    for _ in 1...5 {
      cycles.send([1, 2])
      cycles.send([1, 2])
      #expect(cycles.send([1, 2, 3]) == [2])
    }
    #expect(cycles.learner.end == Self.mark(3))
  }

  @Test func `the cycle learner learns a new end after the receiver's settings change`() {
    var cycles = Cycles()
    for _ in 1...4 { cycles.send([1, 2, 3]) }
    for _ in 1...3 { #expect(cycles.send([1, 2]) == []) }
    #expect(cycles.send([1, 2]) == [1])
  }

  @Test(arguments: [[1, 2], [1, 2, 3, 4], [7]])
  func `the cycle ends with the report before the last of several equal pauses`(kinds: [UInt32]) throws {
    var cycles = Cycles()
    for _ in 1...3 { cycles.send(kinds, milliseconds: 100, pause: 100) }
    #expect(cycles.send(kinds, milliseconds: 100, pause: 100) == [kinds.count - 1])
    #expect(cycles.learner.end == Self.mark(try #require(kinds.last)))
  }

  @Test func `the longest pause determines the cycle's end, even if beginCycle is called in the burst`() {
    var learner = CycleLearner()
    var now: Int64 = 0
    // The first sentence of the burst has no time, so beginCycle is called after it.
    for _ in 1...6 {
      _ = learner.note(ReportKind(rawValue: 9), at: MonotonicTime(nanoseconds: now))
      learner.beginCycle(at: MonotonicTime(nanoseconds: now + 1_000))
      for kind in UInt32(1)...2 {
        _ = learner.note(
          ReportKind(rawValue: kind), at: MonotonicTime(nanoseconds: now + 1_000 * Int64(kind)))
      }
      now += 1_000_000
    }
    #expect(learner.end == Self.mark(2))
  }

  @Test func `the cycle learner distinguishes several reports of one kind by their order`() {
    var cycles = Cycles()
    for _ in 1...3 { cycles.send([1, 5, 5, 5]) }
    #expect(cycles.send([1, 5, 5, 5]) == [3])
    #expect(cycles.learner.end == Self.mark(5, 3))
    // A cycle with fewer reports of that kind has no learnt end.
    #expect(cycles.send([1, 5, 5]) == [])
    #expect(cycles.send([1, 5, 5, 5]) == [3])
  }

  @Test func `pauseNanoseconds is the shortest pause after the learnt end`() {
    var cycles = Cycles()
    for pause: Int64 in [700, 800, 600, 900, 500, 900] { cycles.send([1, 2], pause: pause) }
    cycles.send([1, 2])
    #expect(cycles.learner.end == Self.mark(2))
    #expect(cycles.learner.pauseNanoseconds == 500_000_000)
  }

  @Test func `the cycle learner tracks at most 32 kinds of report per cycle`() {
    var cycles = Cycles()
    let kinds = Array(UInt32(1)...33)
    for _ in 1...10 {
      #expect(!cycles.send(kinds, milliseconds: 1).contains(32))
      #expect(cycles.learner.end?.kind != ReportKind(rawValue: 33))
    }
    var within = Cycles()
    for _ in 1...3 { within.send(Array(kinds.prefix(32)), milliseconds: 1) }
    #expect(within.send(Array(kinds.prefix(32)), milliseconds: 1) == [31])
  }

  @Test func `the cycle learner learns no end if every report is of a new kind`() {
    var cycles = Cycles()
    for round in UInt32(0)..<100 {
      #expect(cycles.send((0..<50).map { round * 50 + $0 }, milliseconds: 1) == [])
    }
    #expect(cycles.learner.end == nil)
  }

  @Test func `the cycle learner never reports an end in the middle of a random cycle`() {
    for seed in UInt64(0)..<200 {
      var generator = SeededGenerator(seed: seed)
      let kinds = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
        UInt32.random(in: 1...6, using: &generator)
      }
      var cycles = Cycles()
      for round in 0..<12 {
        let ends = cycles.send(
          kinds, milliseconds: .random(in: 1...20, using: &generator),
          pause: .random(in: 21...900, using: &generator))
        #expect(ends == (round < 3 ? [] : [kinds.count - 1]), "seed \(seed), round \(round)")
      }
    }
  }
}
