// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that stands still until a test moves it.
///
/// Sleepers wake in the order of their deadlines as ``advance(by:)`` passes them;
/// ``waitForSleepers(_:)`` lets a test wait until the code under test sleeps, instead of guessing.
package final class ManualClock: Clock, Sendable {
  /// A reading: the time since the clock was made.
  package struct Instant: InstantProtocol {
    /// Time since the clock was made.
    package var offset: Duration

    /// Makes a reading.
    ///
    /// - Parameter offset: Time since the clock was made.
    package init(offset: Duration = .zero) { self.offset = offset }

    /// The reading that much later.
    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// The time from this reading to another.
    ///
    /// - Parameter other: The reading to count to.
    /// - Returns: The difference, negative where the other is earlier.
    package func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Orders by time.
    package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    var id: UInt64
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    var id: UInt64
    /// How many have to sleep.
    var counts: ClosedRange<Int>
    var continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = Instant()
    var nextID: UInt64 = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<UInt64> = []
    var watchers: [Watcher] = []

    /// Takes out the watchers that have what they wait for.
    mutating func takeSatisfiedWatchers() -> [Watcher] {
      let count = sleepers.count
      let satisfied = watchers.filter { $0.counts.contains(count) }
      watchers.removeAll { $0.counts.contains(count) }
      return satisfied
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// The present reading.
  package var now: Instant { state.withLock { $0.now } }

  /// The smallest step that means anything.
  package var minimumResolution: Duration { .nanoseconds(1) }

  /// How many tasks sleep on this clock now.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Sleeps until the test has moved the clock to a deadline.
  ///
  /// - Parameters:
  ///   - deadline: When to wake; at once where it has passed.
  ///   - tolerance: Ignored: this clock is exact.
  /// - Throws: `CancellationError` where the task is cancelled.
  package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
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
      // Not asleep yet: ``add(_:)`` will find it here. One that is already awake leaves its
      // number behind, which costs a test nothing.
      state.cancelled.insert(id)
      return (nil, [])
    }
    sleeper?.continuation.resume(throwing: CancellationError())
    for watcher in watchers { watcher.continuation.resume() }
  }

  /// Moves the clock and wakes whoever is due, earliest first.
  package func advance(by duration: Duration) {
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

  /// Moves the clock to the earliest deadline anyone sleeps for.
  ///
  /// - Returns: How far it moved; `nil` where nobody sleeps.
  @discardableResult
  package func advanceToNextDeadline() -> Duration? {
    let (now, next) = state.withLock { ($0.now, $0.sleepers.map(\.deadline).min()) }
    guard let next else { return nil }
    let step = now.duration(to: next)
    advance(by: step)
    return step
  }

  /// Moves the clock to the earliest deadline anyone sleeps for, or by that much where none is
  /// nearer.
  ///
  /// - Parameter limit: How far at most.
  /// - Returns: How far it moved.
  package func advanceToNextDeadline(within limit: Duration) -> Duration {
    let (now, next) = state.withLock { ($0.now, $0.sleepers.map(\.deadline).min()) }
    let step = next.map { max(.zero, min(now.duration(to: $0), limit)) } ?? limit
    advance(by: step)
    return step
  }

  /// Waits until at least that many tasks sleep on this clock, or the task is cancelled.
  package func waitForSleepers(_ count: Int = 1) async { await wait(for: count...Int.max) }

  /// Waits until nobody sleeps on this clock, or the task is cancelled.
  package func waitUntilNobodySleeps() async { await wait(for: 0...0) }

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
