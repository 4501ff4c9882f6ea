// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Notices a call that takes too long, without a timer for each call.
///
/// Who calls says when it begins and when it is over. A task sleeps until the deadline of the call
/// that is under way and then looks at the one that is by then; between calls it waits for none.
final class CallWatch: Sendable {
  private struct State {
    var deadline: Duration?
    var isParked = false
  }

  private let state = Mutex(State())
  private let timeout: Duration
  private let clock: any Clock<Duration>
  private let elapsed: @Sendable () -> Duration
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(timeout: Duration, clock: any Clock<Duration>) {
    self.timeout = timeout
    self.clock = clock
    elapsed = clock.elapsed()
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func begin() {
    let deadline = elapsed() + timeout
    let isParked = state.withLock { state in
      state.deadline = deadline
      defer { state.isParked = false }
      return state.isParked
    }
    if isParked { wake.yield() }
  }

  /// For how long what it watches has worked: since the beginning, but not inside a call that is
  /// under way, of which nobody knows how it ends.
  var provenTime: Duration {
    let now = elapsed()
    return state.withLock { $0.deadline }.map { $0 - timeout } ?? now
  }

  func end() { state.withLock { $0.deadline = nil } }

  /// Whether a call was overdue; returns when one is, or when the task is cancelled.
  func run() async -> Bool {
    var wakes = wakes.makeAsyncIterator()
    while !Task.isCancelled {
      let deadline = state.withLock { state in
        if state.deadline == nil { state.isParked = true }
        return state.deadline
      }
      guard let deadline else {
        guard await wakes.next() != nil else { return false }
        continue
      }
      let left = deadline - elapsed()
      if left <= .zero { return true }
      guard (try? await clock.sleep(for: left)) != nil else { return false }
    }
    return false
  }
}
