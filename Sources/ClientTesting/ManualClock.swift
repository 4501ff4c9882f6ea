// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A clock that only a test advances.
///
/// Sleepers wake in the order of their deadlines when ``advance(by:)`` passes these deadlines. With
/// ``waitForSleepers(_:)`` a test waits until the code under test sleeps.
public final class ManualClock: Clock, Sendable {
  /// A reading: the time since the clock was made.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public var offset: Duration

    /// Makes a reading.
    public init(offset: Duration = .zero) { self.offset = offset }

    /// Returns this reading plus a duration.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// Returns the time from this reading to another, negative if the other reading is earlier.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Compares the times of two readings.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    var id: UInt64
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    var id: UInt64
    /// The numbers of sleepers that satisfy the watcher.
    var counts: ClosedRange<Int>
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = Instant()
    var nextID: UInt64 = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<UInt64> = []
    var watchers: [Watcher] = []

    /// Removes and returns the satisfied watchers.
    mutating func takeSatisfiedWatchers() -> [Watcher] {
      let count = sleepers.count
      let satisfied = watchers.filter { $0.counts.contains(count) }
      watchers.removeAll { $0.counts.contains(count) }
      return satisfied
    }
  }

  private let state = Mutex(State())

  /// Makes a clock that stands at zero.
  public init() {}

  /// The current reading.
  public var now: Instant { state.withLock { $0.now } }

  /// The resolution of the clock.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The number of tasks that are sleeping on this clock.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps until the test has advanced the clock to a deadline.
  ///
  /// - Parameters:
  ///   - deadline: The deadline; returns at once if it has passed.
  ///   - tolerance: Ignored.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let id = state.withLock {
      $0.nextID += 1
      return $0.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(Sleeper(id: id, deadline: deadline, continuation: continuation))
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func add(_ sleeper: Sleeper) {
    enum Outcome {
      case awake
      case cancelled
      case asleep([Watcher])
    }
    let outcome: Outcome = state.withLock { state in
      if state.cancelled.remove(sleeper.id) != nil { return .cancelled }
      if sleeper.deadline <= state.now { return .awake }
      state.sleepers.append(sleeper)
      return .asleep(state.takeSatisfiedWatchers())
    }
    switch outcome {
    case .awake: sleeper.continuation.resume()
    case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
    case .asleep(let watchers): for watcher in watchers { watcher.continuation.resume() }
    }
  }

  private func cancel(_ id: UInt64) {
    let (sleeper, watchers) = state.withLock { state -> (Sleeper?, [Watcher]) in
      if let index = state.sleepers.firstIndex(where: { $0.id == id }) {
        let sleeper = state.sleepers.remove(at: index)
        return (sleeper, state.takeSatisfiedWatchers())
      }
      // The task does not sleep yet; ``add(_:)`` will find its id here. The id of a task that is
      // already awake stays in the set, but has no effect.
      state.cancelled.insert(id)
      return (nil, [])
    }
    sleeper?.continuation.resume(throwing: CancellationError())
    for watcher in watchers { watcher.continuation.resume() }
  }

  /// Advances the clock and wakes the due sleepers, the earliest first.
  public func advance(by duration: Duration) {
    let (due, watchers) = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.filter { $0.deadline <= now }
      state.sleepers.removeAll { $0.deadline <= now }
      return (
        due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }, state.takeSatisfiedWatchers()
      )
    }
    for sleeper in due { sleeper.continuation.resume() }
    for watcher in watchers { watcher.continuation.resume() }
  }

  /// Advances the clock to the earliest deadline of all sleepers.
  ///
  /// - Returns: The step; `nil` if there are no sleepers.
  @discardableResult
  public func advanceToNextDeadline() -> Duration? {
    let (now, next) = state.withLock { ($0.now, $0.sleepers.map(\.deadline).min()) }
    guard let next else { return nil }
    let step = now.duration(to: next)
    advance(by: step)
    return step
  }

  /// Advances the clock to the earliest deadline of all sleepers, but at most by a limit.
  ///
  /// - Parameter limit: The maximum step.
  /// - Returns: The step.
  public func advanceToNextDeadline(within limit: Duration) -> Duration {
    let (now, next) = state.withLock { ($0.now, $0.sleepers.map(\.deadline).min()) }
    let step = next.map { max(.zero, min(now.duration(to: $0), limit)) } ?? limit
    advance(by: step)
    return step
  }

  /// Waits until at least `count` tasks sleep on this clock, or the task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async { await wait(for: count...Int.max) }

  /// Waits until no task sleeps on this clock, or the task is cancelled.
  public func waitUntilNoSleepers() async { await wait(for: 0...0) }

  private func wait(for counts: ClosedRange<Int>) async {
    let id = state.withLock {
      $0.nextID += 1
      return $0.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSatisfied = state.withLock { state in
          let isSatisfied = counts.contains(state.sleepers.count)
          if isSatisfied || state.cancelled.remove(id) != nil { return true }
          state.watchers.append(Watcher(id: id, counts: counts, continuation: continuation))
          return false
        }
        if isSatisfied { continuation.resume() }
      }
    } onCancel: {
      let watcher = state.withLock { state -> Watcher? in
        guard let index = state.watchers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.watchers.remove(at: index)
      }
      watcher?.continuation.resume()
    }
  }
}
