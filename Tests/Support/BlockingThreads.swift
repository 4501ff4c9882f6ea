// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
import Synchronization
internal import SystemSupport

/// What runs the jobs of a task that has a thread of its own, one after the other.
final class SteppedThread: TaskExecutor {
  private struct State {
    var isBlocked = false
    var held: [UnownedJob] = []
  }

  private let tasks: SteppedTasks
  private let state = Mutex(State())

  init(_ tasks: SteppedTasks) { self.tasks = tasks }

  func enqueue(_ job: consuming ExecutorJob) { tasks.add(UnownedJob(job), self) }

  /// Keeps a job for when the thread does not block any more; whether it blocks.
  func hold(_ job: UnownedJob) -> Bool {
    state.withLock { state in
      if state.isBlocked { state.held.append(job) }
      return state.isBlocked
    }
  }

  /// - Returns: What has waited meanwhile.
  func change(isBlocked: Bool) -> [UnownedJob] {
    state.withLock { state in
      state.isBlocked = isBlocked
      guard !isBlocked else { return [] }
      defer { state.held = [] }
      return state.held
    }
  }
}

/// Threads on which calls may block, one at a time at work and any number of them blocked.
///
/// Whoever hands something over goes on when it is done or blocks: so everything still happens one
/// after the other.
final class BlockingThreads: Sendable {
  private struct State {
    var isExpected = false
    var isAtWork = false
    /// How many have blocked since the last time that all were waited for.
    var blockedCount = 0
    /// What is to be told once the one at work blocks, or does not any more.
    var whileBlocked: (@Sendable (Bool) -> Void)?
  }

  private let state = Mutex(State())
  /// Posted by each thread that blocks or is done.
  private let turns = ThreadSemaphore()

  /// Whether something may block; the thread that steps alone asks and says.
  var isExpected: Bool {
    get { state.withLock { $0.isExpected } }
    set { state.withLock { $0.isExpected = newValue } }
  }

  /// Runs something on a thread; returns when it is done, or blocks.
  func run(
    _ body: @escaping @Sendable () -> Void, whileBlocked: @escaping @Sendable (Bool) -> Void
  ) {
    state.withLock {
      $0.isAtWork = true
      $0.whileBlocked = whileBlocked
    }
    let isStarted = BlockingThread.start { [self] in
      body()
      state.withLock { $0.isAtWork = false }
      turns.post()
    }
    if isStarted { turns.wait() } else { body() }
    state.withLock {
      $0.isAtWork = false
      $0.whileBlocked = nil
    }
  }

  /// Does what blocks, on a thread of these; elsewhere it just does it.
  func block<Value>(_ body: () throws -> Value) rethrows -> Value {
    let told = state.withLock { state -> (@Sendable (Bool) -> Void)? in
      guard state.isAtWork else { return nil }
      state.isAtWork = false
      state.blockedCount += 1
      return state.whileBlocked
    }
    guard let told else { return try body() }
    told(true)
    turns.post()
    defer { told(false) }
    return try body()
  }

  /// Waits for those that block now, each until it is done with what it does.
  func waitUntilNoneBlocks() {
    let count = state.withLock { state in
      defer { state.blockedCount = 0 }
      return state.blockedCount
    }
    for _ in 0..<count { turns.wait() }
  }
}
