// SPDX-License-Identifier: Apache-2.0

import Synchronization
internal import SystemSupport

/// A task's wait for a thread that may sit in a call which nothing can wake.
///
/// connect(2) and the resolver take minutes at worst, and end a cancelled run no sooner. So a
/// thread says when it is in such a call; cancelled meanwhile, the task does not wait for it, and
/// the thread ends when the call does, without another word.
final class BlockingRun<Failure: Error>: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Result<Void, Failure>, Never>?
    var isBlocked = false
    var isCancelled = false
  }

  /// Wakes the thread where it can be woken.
  let wake: WakeUp
  private let state = Mutex(State())

  init(wake: WakeUp) { self.wake = wake }

  /// The task waits; to be called once, before the thread starts.
  func begin(_ continuation: CheckedContinuation<Result<Void, Failure>, Never>) {
    state.withLock { $0.continuation = continuation }
  }

  /// Makes a call that nothing can wake; `nil` where the run is over, and the thread must end.
  func block<Value>(_ body: () -> Value) -> Value? {
    let isCancelled = state.withLock { state in
      state.isBlocked = !state.isCancelled
      return state.isCancelled
    }
    guard !isCancelled else { return nil }
    let value = body()
    return state.withLock { state in
      state.isBlocked = false
      return state.isCancelled
    } ? nil : value
  }

  /// The thread is at its end.
  func end(_ result: Result<Void, Failure>) {
    take { _ in true }?.resume(returning: result)
  }

  /// The task is cancelled.
  func cancel() {
    wake.signal()
    take { state in
      state.isCancelled = true
      return state.isBlocked
    }?.resume(returning: .success(()))
  }

  /// Takes the continuation out, so that it is resumed once.
  private func take(
    where condition: (inout State) -> Bool
  ) -> CheckedContinuation<Result<Void, Failure>, Never>? {
    state.withLock { state in
      guard condition(&state) else { return nil }
      defer { state.continuation = nil }
      return state.continuation
    }
  }
}
