// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// An executor that runs all tasks started on a thread on that thread, one job at a time, under the
/// control of a test.
///
/// With a ``ManualClock``, a concurrent program becomes deterministic: jobs run only in
/// ``settle()``, and runs with the same seed are identical. Code that waits on its own thread or
/// for a descriptor is not controlled, except through ``thread()``. The main actor is not
/// controlled either.
///
/// It uses the runtime's hook `swift_task_enqueueGlobal_hook`, which applies to the whole process.
/// Several instances may run at the same time, each on its own thread and with independent tasks.
/// Jobs enqueued by other threads run as usual.
package final class SteppedTasks: TaskExecutor {
  private struct State {
    // Jobs are taken from `head`; the array is cleared when all jobs have run.
    var jobs: [(job: UnownedJob, thread: SteppedThread?)] = []
    var head = 0
  }

  private let state = Mutex(State())
  private let blocking = BlockingThreads()

  /// Runs a body on a new thread, with all tasks that it starts under control.
  ///
  /// The tasks should have ended when the body returns. Remaining tasks run until they suspend, and
  /// continue later without control.
  ///
  /// - Parameter body: The body; receives the executor.
  /// - Returns: The result of the body; `nil` if no thread can be created or the runtime has no
  ///   hook.
  package static func use<Value: Sendable>(
    _ body: @escaping @Sendable (SteppedTasks) -> Value
  ) -> Value? {
    guard EnqueueHook.isInstalled else { return nil }
    return onThread {
      // Simulations are the longest computations of the tests. A lower priority lets tests with
      // real time limits run first.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
      let tasks = SteppedTasks()
      EnqueueHook.tasks = tasks
      let value = body(tasks)
      EnqueueHook.tasks = nil
      tasks.settle()
      return value
    }
  }

  /// Runs jobs until all tasks are suspended or blocked.
  package func settle() {
    while let (job, thread) = next() {
      guard let thread else {
        job.runSynchronously(on: asUnownedTaskExecutor())
        continue
      }
      if thread.hold(job) { continue }
      if blocking.isExpected {
        blocking.run { [self] in
          EnqueueHook.tasks = self
          job.runSynchronously(on: thread.asUnownedTaskExecutor())
        } whileBlocked: { [self] isBlocked in
          for job in thread.change(isBlocked: isBlocked) { add(job, thread) }
        }
      } else {
        job.runSynchronously(on: thread.asUnownedTaskExecutor())
      }
    }
  }

  /// Makes an executor that simulates a separate thread of a task.
  ///
  /// While calls may block (``expectBlocking(_:)``), the jobs of this executor run on a real
  /// thread.
  ///
  /// - Returns: The executor, for a task's executor preference.
  package func thread() -> any TaskExecutor { SteppedThread(self) }

  /// Sets whether calls may block from now on.
  ///
  /// If calls may not block, waits for all blocked calls. The bodies passed to ``block(_:)`` must
  /// then be able to finish.
  package func expectBlocking(_ mayBlock: Bool) {
    blocking.isExpected = mayBlock
    if !mayBlock { blocking.waitUntilUnblocked() }
  }

  /// Runs a body that blocks until the test unblocks it; ``settle()`` does not wait for it.
  ///
  /// - Parameter body: The body; only the test may unblock it.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body.
  package func block<Value>(_ body: () throws -> Value) rethrows -> Value {
    try blocking.block(body)
  }

  /// Enqueues a job of a task that prefers this executor.
  package func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

  func add(_ job: UnownedJob, _ thread: SteppedThread? = nil) {
    state.withLock { $0.jobs.append((job, thread)) }
  }

  private func next() -> (job: UnownedJob, thread: SteppedThread?)? {
    state.withLock { state in
      guard state.head < state.jobs.count else {
        state.jobs.removeAll(keepingCapacity: true)
        state.head = 0
        return nil
      }
      defer { state.head += 1 }
      return state.jobs[state.head]
    }
  }
}

/// The hook of the Swift runtime for enqueued jobs.
private enum EnqueueHook {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// The key of the thread's executor.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Whether the runtime has the hook; it is installed once and ignores threads without an
  /// executor.
  static let isInstalled: Bool = {
    guard let place = dlsym(nil, "swift_task_enqueueGlobal_hook") else { return false }
    _ = key
    place.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
      guard let tasks = EnqueueHook.tasks else { return original(job) }
      tasks.add(job)
    }
    return true
  }()

  /// The executor of this thread.
  static var tasks: SteppedTasks? {
    get {
      pthread_getspecific(key).map {
        Unmanaged<SteppedTasks>.fromOpaque($0).takeUnretainedValue()
      }
    }
    set { pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
  }
}
