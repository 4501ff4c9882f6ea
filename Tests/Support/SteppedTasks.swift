// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// An executor that captures the tasks started on one thread, and runs their jobs on that thread,
/// one at a time, when the test calls ``settle()``.
///
/// With a ``ManualClock``, a concurrent program becomes deterministic: jobs run only in
/// ``settle()``, and runs with the same seed are identical. Code that blocks a thread of its
/// own or waits for a descriptor is not controlled; ``thread()`` stands in for such a thread. The
/// main actor is not controlled either.
///
/// This class uses the runtime's `swift_task_enqueueGlobal_hook`, which applies to the process.
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

  /// Runs a body on a new thread, and controls all tasks that the body starts.
  ///
  /// The tasks should have ended when the body returns. Remaining tasks run until they suspend, and
  /// continue later without control.
  ///
  /// - Parameter body: The body; receives the executor.
  /// - Returns: The result of the body; `nil` if no thread can be created or the runtime has no
  ///   hook.
  package static func use<Value: Sendable>(_ body: @escaping @Sendable (SteppedTasks) -> Value) -> Value? {
    guard EnqueueHook.isInstalled else { return nil }
    return onNewThread {
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
      if thread.queueIfBlocked(job) { continue }
      if blocking.mayBlock {
        blocking.run { [self] in
          EnqueueHook.tasks = self
          job.runSynchronously(on: thread.asUnownedTaskExecutor())
        } reportBlocked: { [self] isBlocked in
          for job in thread.setBlocked(isBlocked) { add(job, thread) }
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
  /// If `mayBlock` is false, waits until every body passed to ``block(_:)`` has returned. The test
  /// must unblock the bodies first.
  package func expectBlocking(_ mayBlock: Bool) {
    blocking.mayBlock = mayBlock
    if !mayBlock { blocking.waitUntilUnblocked() }
  }

  /// Runs a body that blocks until the test unblocks it; meanwhile ``settle()`` does not wait.
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

  /// Whether the runtime has the hook.
  ///
  /// The first access installs a function that ignores threads without an executor.
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
