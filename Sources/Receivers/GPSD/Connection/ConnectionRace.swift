// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Decides which of a host's addresses is tried when, and when all are given up.
///
/// An address that does not answer must not keep the next one from being tried: each gets a head
/// start, then they race (RFC 8305, section 5). One deadline holds for all of them.
struct ConnectionRace: Sendable {
  /// What is to be done next.
  enum Step: Equatable, Sendable {
    /// Begin to connect to the address of that number; asked again at once.
    case start(Int)
    /// Wait for an outcome, and ask again by then.
    case wait(until: MonotonicTime)
    /// None has answered in time, or each has failed: why, of the first that did.
    case giveUp(errorNumber: Int32?)
  }

  /// The head start of an address over the one after it, as RFC 8305 recommends.
  static let headStartNanoseconds: Int64 = 250_000_000

  private let count: Int
  private let end: MonotonicTime
  private var startedCount = 0
  private var openCount = 0
  private var nextAt: MonotonicTime
  private var firstFailure: Int32?

  /// Makes a race that nobody has started in.
  init(count: Int, startsAt: MonotonicTime, patienceNanoseconds: Int64) {
    self.count = count
    nextAt = startsAt
    end = startsAt.advanced(byNanoseconds: patienceNanoseconds)
  }

  /// Takes it that an attempt has failed.
  mutating func fail(_ errorNumber: Int32) {
    openCount = max(0, openCount - 1)
    firstFailure = firstFailure ?? errorNumber
  }

  /// What is to be done.
  mutating func next(at now: MonotonicTime) -> Step {
    if now >= end { return .giveUp(errorNumber: openCount > 0 ? nil : firstFailure) }
    if startedCount < count, openCount == 0 || now >= nextAt {
      defer {
        startedCount += 1
        openCount += 1
      }
      nextAt = now.advanced(byNanoseconds: Self.headStartNanoseconds)
      return .start(startedCount)
    }
    guard openCount > 0 else { return .giveUp(errorNumber: firstFailure) }
    return .wait(until: startedCount < count ? min(nextAt, end) : end)
  }
}
