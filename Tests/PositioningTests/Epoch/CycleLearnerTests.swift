// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Positioning

/// Which report ends the cycle, from nothing but kinds and arrival times.
@Suite struct CycleLearnerTests {
  /// A receiver that sends kinds with pauses between them.
  private struct Cycles {
    var learner = CycleLearner()
    private var now: Int64 = 0

    /// One cycle: reports a pause apart, then a longer one; which of them were called the end.
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

  @Test("believes an end after three equal cycles, and names it from then on")
  func learns() {
    var cycles = Cycles()
    for _ in 1...3 {
      #expect(cycles.send([1, 2, 3]) == [])
      #expect(cycles.learner.end == nil)
    }
    // The beginning of the fourth ends the third.
    for _ in 4...9 {
      #expect(cycles.send([1, 2, 3]) == [2])
      #expect(cycles.learner.end == Self.mark(3))
    }
    #expect(cycles.learner.contradictions == 0)
  }

  @Test("begins to count anew where a cycle ends otherwise")
  func countsInARow() {
    var cycles = Cycles()
    for kinds: [UInt32] in [[1, 2, 3], [1, 2, 3], [1, 2], [1, 2, 3], [1, 2, 3], [1, 2, 3]] {
      #expect(cycles.send(kinds) == [])
    }
    #expect(cycles.send([1, 2, 3]) == [2])
  }

  @Test("drops its belief at once where it is contradicted, and needs three cycles again")
  func unlearns() {
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

  @Test("counts no contradiction where nothing was believed")
  func contradictsNothing() {
    var cycles = Cycles()
    cycles.send([1, 2])
    cycles.learner.contradict()
    #expect(cycles.learner.contradictions == 0)
  }

  @Test("keeps its belief over two cycles without the end, and drops it with the third")
  func missesThree() {
    var cycles = Cycles()
    for _ in 1...4 { cycles.send([1, 2, 3]) }
    // The ends differ, so that nothing else is learnt in its place.
    #expect(cycles.send([1, 4]) == [])
    #expect(cycles.send([1, 5]) == [])
    #expect(cycles.send([1, 6]) == [])
    #expect(cycles.learner.end == Self.mark(3))
    cycles.send([1, 7])
    #expect(cycles.learner.end == nil)
  }

  @Test("forgives misses once the end is seen again")
  func forgivesMisses() {
    var cycles = Cycles()
    for _ in 1...4 { cycles.send([1, 2, 3]) }
    for _ in 1...5 {
      cycles.send([1, 2])
      cycles.send([1, 2])
      #expect(cycles.send([1, 2, 3]) == [2])
    }
    #expect(cycles.learner.end == Self.mark(3))
  }

  @Test("learns the new end where the receiver's settings change")
  func relearns() {
    var cycles = Cycles()
    for _ in 1...4 { cycles.send([1, 2, 3]) }
    for _ in 1...3 { #expect(cycles.send([1, 2]) == []) }
    #expect(cycles.send([1, 2]) == [1])
  }

  @Test("takes the last of equal pauses for the end", arguments: [[1, 2], [1, 2, 3, 4], [7]])
  func equalPauses(kinds: [UInt32]) throws {
    var cycles = Cycles()
    for _ in 1...3 { cycles.send(kinds, milliseconds: 100, pause: 100) }
    #expect(cycles.send(kinds, milliseconds: 100, pause: 100) == [kinds.count - 1])
    #expect(cycles.learner.end == Self.mark(try #require(kinds.last)))
  }

  @Test("takes the longest pause for the end, wherever the cycle is said to begin")
  func longestPause() {
    var learner = CycleLearner()
    var now: Int64 = 0
    // A sentence without a time leads the burst, so the cycle is known to begin only after it.
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

  @Test("tells several reports of one kind apart by their order")
  func ordinals() {
    var cycles = Cycles()
    for _ in 1...3 { cycles.send([1, 5, 5, 5]) }
    #expect(cycles.send([1, 5, 5, 5]) == [3])
    #expect(cycles.learner.end == Self.mark(5, 3))
    // One fewer is a miss, not the end.
    #expect(cycles.send([1, 5, 5]) == [])
    #expect(cycles.send([1, 5, 5, 5]) == [3])
  }

  @Test("knows the shortest pause after the end")
  func shortestPause() {
    var cycles = Cycles()
    for pause: Int64 in [700, 800, 600, 900, 500, 900] { cycles.send([1, 2], pause: pause) }
    cycles.send([1, 2])
    #expect(cycles.learner.end == Self.mark(2))
    #expect(cycles.learner.pauseNanoseconds == 500_000_000)
  }

  @Test("tracks thirty-two kinds a cycle, and neither believes nor names one beyond")
  func boundsKinds() {
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

  @Test("is not upset by a stream of ever new kinds")
  func survivesEverNewKinds() {
    var cycles = Cycles()
    for round in UInt32(0)..<100 {
      #expect(cycles.send((0..<50).map { round * 50 + $0 }, milliseconds: 1) == [])
    }
    #expect(cycles.learner.end == nil)
  }

  @Test("never names an end in the middle of a cycle, whatever the cycle")
  func anyCycle() {
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
