// SPDX-License-Identifier: Apache-2.0

/// Learns which report ends a receiver's cycle, so that an epoch completes without waiting for the
/// next epoch.
///
/// Receivers send their sentences in one burst per epoch, always in the same order. The last report
/// before the longest pause ends the cycle. This report is learnt as the end after three equal
/// cycles in a row. The learnt end is discarded as soon as another report of the same epoch arrives
/// after the learnt end.
///
/// States: *learning* (``end`` is `nil`; changes to *learnt* after ``agreementNeeded`` equal
/// cycles) and *learnt* (changes to *learning* on ``contradict()`` or after ``missesAllowed``
/// cycles without the learnt end).
struct CycleLearner: Sendable {
  /// A report of a cycle: its kind, and its number among the reports of that kind, from 1.
  struct Mark: Equatable, Sendable {
    var kind: ReportKind
    var ordinal: Int
  }

  static let agreementNeeded = 3
  static let missesAllowed = 3
  /// The maximum number of report kinds per cycle; receivers send fewer kinds.
  static let kindsTracked = 32

  /// The learnt end of the cycle; `nil` while learning.
  private(set) var end: Mark?
  /// The shortest pause seen after the learnt end.
  private(set) var pauseNanoseconds: Int64 = 0
  /// The number of times a learnt end was wrong.
  private(set) var contradictions = 0

  private var candidate: Mark?
  private var agreement = 0
  private var misses = 0
  private var sawEnd = false
  private var isOverfull = false

  private var counts: [(kind: ReportKind, count: Int)] = []
  private var previous: (mark: Mark, at: MonotonicTime)?
  private var longest: (mark: Mark, pause: Int64)?

  /// Records a report; returns whether the report is the learnt end of the cycle.
  mutating func note(_ kind: ReportKind, at time: MonotonicTime) -> Bool {
    notePause(before: time)
    guard let mark = mark(kind) else {
      // A cycle with too many kinds is not used for learning.
      isOverfull = true
      return false
    }
    previous = (mark, time)
    guard mark == end else { return false }
    sawEnd = true
    return true
  }

  /// Evaluates the finished cycle; call it before the first report of the next epoch.
  mutating func beginCycle(at time: MonotonicTime) {
    notePause(before: time)
    if let longest, !isOverfull { judge(longest.mark, pause: longest.pause) }
    longest = nil
    isOverfull = false
    // The reports since the pause belong to the new cycle, but every cycle counts reports only from
    // this point on.
    counts.removeAll(keepingCapacity: true)
  }

  /// Discards the learnt end, because a report of the same epoch arrived after this end.
  mutating func contradict() {
    if end != nil { contradictions &+= 1 }
    end = nil
    candidate = nil
    agreement = 0
  }

  private mutating func judge(_ mark: Mark, pause: Int64) {
    if mark == candidate {
      agreement &+= 1
    } else {
      candidate = mark
      agreement = 1
    }
    if end != nil {
      misses = sawEnd ? 0 : misses &+ 1
      if misses >= Self.missesAllowed { end = nil }
    }
    sawEnd = false
    if end == nil, agreement >= Self.agreementNeeded {
      end = mark
      misses = 0
      pauseNanoseconds = pause
    }
    if mark == end { pauseNanoseconds = min(pauseNanoseconds, pause) }
  }

  private mutating func notePause(before time: MonotonicTime) {
    guard let previous else { return }
    let pause = time.nanoseconds &- previous.at.nanoseconds
    // The last of several equal pauses ends the cycle. Chunked reads cause the earlier pauses.
    if pause >= longest?.pause ?? 0 { longest = (previous.mark, pause) }
    self.previous = nil
  }

  private mutating func mark(_ kind: ReportKind) -> Mark? {
    if let index = counts.firstIndex(where: { $0.kind == kind }) {
      counts[index].count &+= 1
      return Mark(kind: kind, ordinal: counts[index].count)
    }
    guard counts.count < Self.kindsTracked else { return nil }
    counts.append((kind, 1))
    return Mark(kind: kind, ordinal: 1)
  }
}
