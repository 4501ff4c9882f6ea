// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

/// A state machine that decides when to read the network and which paths to publish.
///
/// A loss is published at once. A satisfied path after a loss is published once it has lasted for
/// ``Timing/hold``. Times are in nanoseconds of a monotonic clock.
struct PathWatch: Equatable, Sendable {
  struct Timing: Equatable, Sendable {
    /// The time without notifications after which a read starts.
    var quiet: UInt64 = 50_000_000
    /// The maximum delay of a read while notifications continue.
    var limit: UInt64 = 1_000_000_000
    /// The time for which a satisfied path must last after a loss.
    var hold: UInt64 = 1_000_000_000
    /// The maximum interval between reads, because the kernel does not report all changes.
    var backstop: UInt64 = 15_000_000_000
    /// The delay after a failed read; doubled after each further failure, up to ``backstop``.
    var retry: UInt64 = 50_000_000
  }

  enum Event: Equatable, Sendable {
    /// The kernel reported a change, or notifications were lost.
    case changed
    /// The wall clock was set, or the board resumed from suspend: the published path may be stale.
    case clockJumped
    /// A read returned the current path.
    case read(NetworkPath)
    /// A read failed.
    case failed(NetlinkError)
    /// The deadline was reached.
    case deadlineReached
  }

  enum Action: Equatable, Sendable {
    /// Read the network and return ``Event/read(_:)`` or ``Event/failed(_:)``.
    case read
    case publish(NetworkPath)
  }

  private struct Held: Equatable {
    var path: NetworkPath
    var until: UInt64
  }

  private let timing: Timing
  private var schedule: ReadSchedule
  /// The time of the next read without a notification; 0 at first, for an immediate read.
  private var backstop: UInt64 = 0
  /// The delay after the last failed read; `nil` if the last read succeeded.
  private var retry: UInt64?
  private var held: Held?
  private(set) var published: NetworkPath?

  init(timing: Timing = Timing()) {
    self.timing = timing
    schedule = ReadSchedule(quietNanoseconds: timing.quiet, limitNanoseconds: timing.limit)
  }

  /// The time at which to send ``Event/deadlineReached`` if no other event occurs earlier.
  var deadline: UInt64 {
    // A held path is not published until a reported change has been read.
    min(schedule.deadline ?? held?.until ?? backstop, backstop)
  }

  mutating func handle(_ event: Event, at now: UInt64) -> [Action] {
    switch event {
    case .changed: schedule.changed(at: now)
    case .clockJumped: backstop = now
    case .deadlineReached: break
    case .read(let path):
      backstop = now &+ timing.backstop
      retry = nil
      if let publication = consider(path, at: now) { return [publication] }
    case .failed(let error):
      // A single failure is not published: the published path is kept until a second read fails.
      let publishesFailure = retry != nil || published == nil
      let wait = min(retry.map { $0 &* 2 } ?? timing.retry, timing.backstop)
      retry = wait
      backstop = now &+ wait
      if publishesFailure, let publication = consider(.unknown(error), at: now) {
        return [publication]
      }
    }
    return actionsDue(at: now)
  }

  private mutating func consider(_ path: NetworkPath, at now: UInt64) -> Action? {
    guard path != published else {
      held = nil
      return nil
    }
    if path.isSatisfied, let published, !published.isSatisfied {
      held = Held(path: path, until: held?.until ?? now &+ timing.hold)
      return nil
    }
    held = nil
    published = path
    return .publish(path)
  }

  private mutating func actionsDue(at now: UInt64) -> [Action] {
    if schedule.takeDue(at: now) || now >= backstop {
      schedule.clear()
      return [.read]
    }
    guard schedule.deadline == nil, let held, now >= held.until else { return [] }
    self.held = nil
    published = held.path
    return [.publish(held.path)]
  }
}
