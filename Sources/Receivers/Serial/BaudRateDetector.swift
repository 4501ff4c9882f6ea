// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Finds the speed of a serial receiver by listening alone.
///
/// The speed that the port has comes first: Linux keeps it from the last user, and it is nearly
/// always right. Then the usual ones in turn, each for two cycles of a slow receiver, or until so
/// many bytes have come that one sentence should have been among them. Two sentences with a right
/// checksum are no accident.
///
/// States: *listening* at a speed (to *locked* with the second sentence, to *listening* at the next
/// speed when patience ends) and *locked* (to *listening* when bytes come for long and none of them
/// make a sentence: the receiver was set to another speed).
public struct BaudRateDetector: Sendable {
  /// What is to be done.
  public enum Action: Equatable, Sendable {
    /// Listen at another speed, and forget what the port holds.
    case setSpeed(baud: Int)
    /// The speed has been found.
    case locked(baud: Int?)
  }

  /// The usual speeds, the most usual first.
  public static let usualBauds = [
    9600, 115_200, 38_400, 4800, 57_600, 19_200, 230_400, 460_800, 921_600,
  ]

  static let sentencesNeeded: UInt64 = 2
  /// Two cycles of a receiver that sends once a second.
  static let patienceNanoseconds: Int64 = 2_200_000_000
  /// At least two of the longest sentences of most receivers, so one whole.
  static let patienceBytes: UInt64 = 250
  /// A locked line that sends this much for this long without a sentence has changed.
  static let lostBytes: UInt64 = 2_000
  static let lostNanoseconds: Int64 = 10_000_000_000

  /// Whether the speed has been found.
  public private(set) var isLocked = false

  private let bauds: [Int?]
  private var turn = 0
  private var startedAt: MonotonicTime
  private var startSentences: UInt64 = 0
  private var startBytes: UInt64 = 0
  private var latest: (sentences: UInt64, bytes: UInt64) = (0, 0)

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - present: The speed that the port has; `nil` for one that has no number.
  ///   - now: When listening starts.
  public init(present: Int?, at now: MonotonicTime) {
    bauds = [present] + Self.usualBauds.filter { $0 != present }.map { $0 }
    startedAt = now
  }

  /// The speed that is being listened at; `nil` for the port's own that has no number.
  public var baud: Int? { bauds[turn % bauds.count] }

  /// When ``note(sentences:bytes:at:)`` should be called if nothing arrives before.
  public var deadline: MonotonicTime? {
    isLocked ? nil : startedAt.advanced(byNanoseconds: patience)
  }

  /// Takes what the decoder has counted so far.
  ///
  /// - Parameters:
  ///   - sentences: All sentences with a right checksum.
  ///   - bytes: All bytes but those of a known binary protocol.
  ///   - now: The present reading of the clock.
  /// - Returns: What is to be done; `nil` where that is to go on listening.
  public mutating func note(
    sentences: UInt64, bytes: UInt64, at now: MonotonicTime
  ) -> Action? {
    latest = (sentences, bytes)
    let heard = sentences &- startSentences
    // Fewer than before where the last of them turned out to belong to a frame.
    let fresh = bytes > startBytes ? bytes - startBytes : 0
    if isLocked {
      if heard > 0 { restart(at: now) }
      guard fresh >= Self.lostBytes, elapsed(now) >= Self.lostNanoseconds else {
        return nil
      }
      isLocked = false
      return next(at: now)
    }
    if heard >= Self.sentencesNeeded {
      isLocked = true
      restart(at: now)
      return .locked(baud: baud)
    }
    // One sentence may be the first of a slow receiver: the second is waited for.
    let patience = heard > 0 ? 2 * patience : patience
    let isNoise = heard == 0 && fresh >= Self.patienceBytes &* rounds
    return elapsed(now) >= patience || isNoise ? next(at: now) : nil
  }

  /// Whether every speed has had its turn, and none was found.
  var hasGoneRound: Bool { !isLocked && turn >= bauds.count }

  /// How often all speeds have had their turn, from 1.
  ///
  /// Patience grows with it: a receiver that sends more of another protocol than sentences needs
  /// it.
  private var rounds: UInt64 { UInt64(min(turn / bauds.count + 1, 4)) }

  private var patience: Int64 { Self.patienceNanoseconds * Int64(rounds) }

  private func elapsed(_ now: MonotonicTime) -> Int64 {
    now.nanoseconds &- startedAt.nanoseconds
  }

  private mutating func restart(at now: MonotonicTime) {
    startedAt = now
    startSentences = latest.sentences
    startBytes = latest.bytes
  }

  /// Goes on to the next speed that has a number; the port's own may have none.
  private mutating func next(at now: MonotonicTime) -> Action? {
    turn += 1
    if baud == nil { turn += 1 }
    restart(at: now)
    return baud.map { .setSpeed(baud: $0) }
  }
}
