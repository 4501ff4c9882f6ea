// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Detects the baud rate of a serial receiver by reading only.
///
/// The current baud rate of the port is tried first: Linux preserves the baud rate that the last
/// user has set, which is nearly always correct. Then the usual baud rates follow, each for two
/// cycles of a slow receiver, or until enough bytes have arrived to contain a sentence. Two
/// sentences with right checksums confirm a baud rate, even if their content is refused.
///
/// States: *listening* at a baud rate (to *locked* with the second sentence, to *listening* at the
/// next baud rate after a timeout) and *locked* (to *listening* when many bytes arrive over a long
/// time without a sentence, because the receiver was set to another baud rate).
public struct BaudRateDetector: Sendable {
  /// An action for the caller.
  public enum Action: Equatable, Sendable {
    /// Set another baud rate and discard buffered input.
    case setSpeed(baud: Int)
    /// The baud rate was found.
    case locked(baud: Int?)
  }

  /// The usual baud rates, most common first.
  public static let usualBauds = [
    9600, 115_200, 38_400, 4800, 57_600, 19_200, 230_400, 460_800, 921_600,
  ]

  static let sentencesNeeded: UInt64 = 2
  /// The time for each baud rate: two cycles of a receiver that sends once a second.
  static let timeoutNanoseconds: Int64 = 2_200_000_000
  /// The number of bytes without a sentence after which a baud rate is abandoned: twice the length
  /// of the longest sentences.
  static let noiseBytes: UInt64 = 250
  /// The number of bytes without a sentence after which a locked baud rate may be wrong.
  static let lostBytes: UInt64 = 2_000
  /// The time without a sentence after which a locked baud rate may be wrong.
  static let lostNanoseconds: Int64 = 10_000_000_000

  /// Whether the baud rate was found.
  public private(set) var isLocked = false

  private let bauds: [Int?]
  private var attempt = 0
  private var startedAt: MonotonicTime
  private var startSentences: UInt64 = 0
  private var startBytes: UInt64 = 0
  private var latest: (sentences: UInt64, bytes: UInt64) = (0, 0)

  /// Makes a detector that starts with the current baud rate of the port.
  ///
  /// - Parameters:
  ///   - present: The current baud rate of the port; `nil` if it is not one that can be set.
  ///   - now: The start time.
  public init(present: Int?, at now: MonotonicTime) {
    bauds = [present] + Self.usualBauds.filter { $0 != present }.map { $0 }
    startedAt = now
  }

  /// The baud rate being tried; `nil` if it is the initial one, which cannot be set.
  public var baud: Int? { bauds[attempt % bauds.count] }

  /// The time at which to call ``note(sentences:bytes:at:)`` if no bytes arrive earlier.
  public var deadline: MonotonicTime? {
    isLocked ? nil : startedAt.advanced(byNanoseconds: timeout)
  }

  /// Handles the current counts of the decoder.
  ///
  /// - Parameters:
  ///   - sentences: The number of sentences that show that the baud rate is right.
  ///   - bytes: The number of bytes, without the bytes of a recognized binary protocol.
  ///   - now: The current time.
  /// - Returns: An action, or `nil` to continue listening.
  public mutating func note(
    sentences: UInt64, bytes: UInt64, at now: MonotonicTime
  ) -> Action? {
    latest = (sentences, bytes)
    let received = sentences &- startSentences
    // `bytes` may decrease when bytes counted as noise turn out to be part of a binary frame.
    let newBytes = bytes > startBytes ? bytes - startBytes : 0
    if isLocked {
      if received > 0 { restart(at: now) }
      guard newBytes >= Self.lostBytes, elapsed(now) >= Self.lostNanoseconds else {
        return nil
      }
      isLocked = false
      return next(at: now)
    }
    if received >= Self.sentencesNeeded {
      isLocked = true
      restart(at: now)
      return .locked(baud: baud)
    }
    // After one sentence, wait longer for the second sentence of a slow receiver.
    let timeout = received > 0 ? 2 * timeout : timeout
    let isNoise = received == 0 && newBytes >= Self.noiseBytes &* round
    return elapsed(now) >= timeout || isNoise ? next(at: now) : nil
  }

  /// Whether every baud rate was tried without success.
  var hasTriedAll: Bool { !isLocked && attempt >= bauds.count }

  /// The number of the current round through all baud rates, from 1 to 4.
  ///
  /// The timeout grows with each round, since some receivers send few sentences between the frames
  /// of another protocol.
  private var round: UInt64 { UInt64(min(attempt / bauds.count + 1, 4)) }

  private var timeout: Int64 { Self.timeoutNanoseconds * Int64(round) }

  private func elapsed(_ now: MonotonicTime) -> Int64 {
    now.nanoseconds &- startedAt.nanoseconds
  }

  private mutating func restart(at now: MonotonicTime) {
    startedAt = now
    startSentences = latest.sentences
    startBytes = latest.bytes
  }

  /// Moves to the next baud rate; skips an initial baud rate that cannot be set.
  private mutating func next(at now: MonotonicTime) -> Action? {
    attempt += 1
    if baud == nil { attempt += 1 }
    restart(at: now)
    return baud.map { .setSpeed(baud: $0) }
  }
}
