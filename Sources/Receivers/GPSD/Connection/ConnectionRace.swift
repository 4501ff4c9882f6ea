// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Decides when to connect to each of a host's addresses, and when to give up on all of them.
///
/// An unresponsive address must not delay the others: each attempt gets a head start, then the
/// attempts run in parallel (RFC 8305, section 5). All attempts share one deadline.
struct ConnectionRace: Sendable {
  /// The caller's next action.
  enum Step: Equatable, Sendable {
    /// Start connecting to the address at this index, then call ``next(at:)`` again at once.
    case start(Int)
    /// Wait for an attempt to finish, and call ``next(at:)`` again at this time at the latest.
    case wait(until: MonotonicTime)
    /// The deadline has passed or every attempt failed. Carries the first failure's `errno`, or
    /// `nil` if an attempt was still open.
    case giveUp(errorNumber: Int32?)
  }

  /// The delay between two attempts that RFC 8305 recommends.
  static let headStartNanoseconds: Int64 = 250_000_000

  private let count: Int
  private let end: MonotonicTime
  private var startedCount = 0
  private var openCount = 0
  private var nextAt: MonotonicTime
  private var firstFailure: Int32?

  /// Makes a race without attempts.
  init(count: Int, startsAt: MonotonicTime, timeoutNanoseconds: Int64) {
    self.count = count
    nextAt = startsAt
    end = startsAt.advanced(byNanoseconds: timeoutNanoseconds)
  }

  /// Records that an attempt failed.
  mutating func fail(_ errorNumber: Int32) {
    openCount = max(0, openCount - 1)
    firstFailure = firstFailure ?? errorNumber
  }

  /// Returns the next action.
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
