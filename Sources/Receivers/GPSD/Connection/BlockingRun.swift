// SPDX-License-Identifier: Apache-2.0

import Synchronization
internal import SystemSupport

/// Lets a task wait for a thread that may block in a call that cannot be interrupted.
///
/// The resolver can block for minutes and does not react to cancellation. The thread therefore
/// wraps such a call in ``block(_:)``. A task that is cancelled during the call returns at once;
/// the thread exits when the call returns, and delivers no further events.
final class BlockingRun<Failure: Error>: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Result<Void, Failure>, Never>?
    var isBlocked = false
    var isCancelled = false
  }

  /// Interrupts the thread's poll(2).
  let wake: WakeUp
  private let state = Mutex(State())

  init(wake: WakeUp) { self.wake = wake }

  /// Stores the waiting task's continuation; called once, before the thread starts.
  func begin(_ continuation: CheckedContinuation<Result<Void, Failure>, Never>) {
    state.withLock { $0.continuation = continuation }
  }

  /// Runs an uninterruptible call; returns `nil` if the run was cancelled and the thread must exit.
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

  /// Resumes the task with the thread's result; called last on the thread.
  func end(_ result: Result<Void, Failure>) {
    takeContinuation { _ in true }?.resume(returning: result)
  }

  /// Wakes the thread, and resumes the task at once if the thread is in an uninterruptible call.
  func cancel() {
    wake.signal()
    takeContinuation { state in
      state.isCancelled = true
      return state.isBlocked
    }?.resume(returning: .success(()))
  }

  /// Removes and returns the continuation if the condition holds, so that the task resumes once.
  private func takeContinuation(
    if condition: (inout State) -> Bool
  ) -> CheckedContinuation<Result<Void, Failure>, Never>? {
    state.withLock { state in
      guard condition(&state) else { return nil }
      defer { state.continuation = nil }
      return state.continuation
    }
  }
}
