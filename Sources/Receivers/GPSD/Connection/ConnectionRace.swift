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
    /// `nil` if an attempt was still in progress.
    case giveUp(errorNumber: Int32?)
  }

  /// The delay between two attempts that RFC 8305 recommends.
  static let headStartNanoseconds: Int64 = 250_000_000

  private let addressCount: Int
  private let deadline: MonotonicTime
  private var startedCount = 0
  private var openCount = 0
  private var nextStartAt: MonotonicTime
  private var firstFailure: Int32?

  /// Makes a race to `count` addresses, before the first attempt.
  init(count: Int, startsAt: MonotonicTime, timeoutNanoseconds: Int64) {
    addressCount = count
    nextStartAt = startsAt
    deadline = startsAt.advanced(byNanoseconds: timeoutNanoseconds)
  }

  /// Records that an attempt failed.
  mutating func fail(_ errorNumber: Int32) {
    openCount = max(0, openCount - 1)
    firstFailure = firstFailure ?? errorNumber
  }

  /// Returns the next action.
  mutating func next(at now: MonotonicTime) -> Step {
    if now >= deadline { return .giveUp(errorNumber: openCount > 0 ? nil : firstFailure) }
    if startedCount < addressCount, openCount == 0 || now >= nextStartAt {
      defer {
        startedCount += 1
        openCount += 1
      }
      nextStartAt = now.advanced(byNanoseconds: Self.headStartNanoseconds)
      return .start(startedCount)
    }
    guard openCount > 0 else { return .giveUp(errorNumber: firstFailure) }
    return .wait(until: startedCount < addressCount ? min(nextStartAt, deadline) : deadline)
  }
}
