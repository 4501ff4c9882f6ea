// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
import Synchronization
internal import SystemSupport

/// An executor that runs the jobs of a task as if the task had its own thread.
final class SteppedThread: TaskExecutor {
  private struct State {
    var isBlocked = false
    var queued: [UnownedJob] = []
  }

  private let tasks: SteppedTasks
  private let state = Mutex(State())

  init(_ tasks: SteppedTasks) { self.tasks = tasks }

  func enqueue(_ job: consuming ExecutorJob) { tasks.add(UnownedJob(job), self) }

  /// Queues a job if the thread is blocked; returns whether the thread is blocked.
  func queueIfBlocked(_ job: UnownedJob) -> Bool {
    state.withLock { state in
      if state.isBlocked { state.queued.append(job) }
      return state.isBlocked
    }
  }

  /// Sets whether the thread is blocked; returns the queued jobs if it is no longer blocked.
  func setBlocked(_ isBlocked: Bool) -> [UnownedJob] {
    state.withLock { state in
      state.isBlocked = isBlocked
      guard !isBlocked else { return [] }
      defer { state.queued = [] }
      return state.queued
    }
  }
}

/// Threads on which calls may block; only one runs at a time, but any number may be blocked.
///
/// ``run(_:reportBlocked:)`` returns when its body has finished or blocks.
final class BlockingThreads: Sendable {
  private struct State {
    var mayBlock = false
    var isRunning = false
    /// The number of threads that have blocked since the last ``waitUntilUnblocked()``.
    var blockedCount = 0
    /// Called with true when the running thread blocks, and with false when it no longer blocks.
    var reportBlocked: (@Sendable (Bool) -> Void)?
  }

  private let state = Mutex(State())
  /// Posted by each thread that blocks or has finished.
  private let pauses = ThreadSemaphore()

  /// Whether calls may block; used only by the stepping thread.
  var mayBlock: Bool {
    get { state.withLock { $0.mayBlock } }
    set { state.withLock { $0.mayBlock = newValue } }
  }

  /// Runs a body on a thread; returns when the body has finished or blocks.
  func run(
    _ body: @escaping @Sendable () -> Void, reportBlocked: @escaping @Sendable (Bool) -> Void
  ) {
    state.withLock {
      $0.isRunning = true
      $0.reportBlocked = reportBlocked
    }
    let isStarted = BlockingThread.start { [self] in
      body()
      state.withLock { $0.isRunning = false }
      pauses.post()
    }
    if isStarted { pauses.wait() } else { body() }
    state.withLock {
      $0.isRunning = false
      $0.reportBlocked = nil
    }
  }

  /// Runs a blocking body; if the current thread is one of these threads, reports a block.
  func block<Value>(_ body: () throws -> Value) rethrows -> Value {
    let reportBlocked = state.withLock { state -> (@Sendable (Bool) -> Void)? in
      guard state.isRunning else { return nil }
      state.isRunning = false
      state.blockedCount += 1
      return state.reportBlocked
    }
    guard let reportBlocked else { return try body() }
    reportBlocked(true)
    pauses.post()
    defer { reportBlocked(false) }
    return try body()
  }

  /// Waits until all threads that have blocked have finished.
  func waitUntilUnblocked() {
    let count = state.withLock { state in
      defer { state.blockedCount = 0 }
      return state.blockedCount
    }
    for _ in 0..<count { pauses.wait() }
  }
}
