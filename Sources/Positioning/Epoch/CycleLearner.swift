// SPDX-License-Identifier: Apache-2.0

/// Learns which report ends a receiver's cycle, so that an epoch need not wait for the next one.
///
/// Receivers send their sentences in one burst an epoch, always in the same order. What comes last
/// before the longest pause is the end of the cycle. Three cycles in a row must agree before it is
/// believed, and it is dropped as soon as something of the same epoch comes after it.
///
/// States: *learning* (nothing believed; goes to *learnt* after ``agreementNeeded`` equal cycles)
/// and *learnt* (goes back to *learning* on ``contradict()`` or ``missesAllowed`` cycles without
/// the believed end).
struct CycleLearner: Sendable {
  /// One report of a cycle: its kind, and which of several of that kind.
  struct Mark: Equatable, Sendable {
    var kind: ReportKind
    var ordinal: Int
  }

  static let agreementNeeded = 3
  static let missesAllowed = 3
  /// Kinds are few; a stream that makes up ever new ones is no receiver.
  static let kindsTracked = 32

  /// The believed end of the cycle.
  private(set) var end: Mark?
  /// The shortest pause seen after the believed end.
  private(set) var pauseNanoseconds: Int64 = 0
  /// How often a believed end was wrong.
  private(set) var contradictions = 0

  private var candidate: Mark?
  private var agreement = 0
  private var misses = 0
  private var sawEnd = false
  private var isOverfull = false

  private var counts: [(kind: ReportKind, count: Int)] = []
  private var previous: (mark: Mark, at: MonotonicTime)?
  private var longest: (mark: Mark, pause: Int64)?

  /// Takes a report in its turn; true where it is the believed end of the cycle.
  mutating func note(_ kind: ReportKind, at time: MonotonicTime) -> Bool {
    notePause(before: time)
    guard let mark = mark(kind) else {
      // A cycle of which not all is known has no known end.
      isOverfull = true
      return false
    }
    previous = (mark, time)
    guard mark == end else { return false }
    sawEnd = true
    return true
  }

  /// Takes it that a report of the next epoch is about to come: judges the cycle that is over.
  mutating func beginCycle(at time: MonotonicTime) {
    notePause(before: time)
    if let longest, !isOverfull { judge(longest.mark, pause: longest.pause) }
    longest = nil
    isOverfull = false
    // Reports after the pause belong to the new cycle, but which they were is not kept: their
    // ordinals only count from here on, the same in every cycle.
    counts.removeAll(keepingCapacity: true)
  }

  /// Takes it that something of an epoch came after its believed end.
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
    // The first of equal pauses would be an accident of chunking; the last is the cycle's end.
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
