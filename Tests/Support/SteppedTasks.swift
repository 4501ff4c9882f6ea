// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Runs every task that one thread begins on that thread, job after job, and only when a test says
/// so.
///
/// With a ``ManualClock`` a program of many tasks becomes a machine that takes one step after the
/// other: nothing happens between two calls of ``settle()``, nothing is left to happen after one,
/// and the same seed gives the same run. What waits for a thread of its own or for a descriptor is
/// not seen, but for ``thread()``; the main actor goes on by itself.
///
/// It puts itself in the place that the runtime has for it, `swift_task_enqueueGlobal_hook`, which
/// holds for the whole process. Several may be at work, each on its own thread and with tasks that
/// have nothing to do with those of another; what other threads enqueue goes where it always goes.
package final class SteppedTasks: TaskExecutor {
  private struct State {
    // Taken from the front, and cleared when all is done.
    var jobs: [(job: UnownedJob, thread: SteppedThread?)] = []
    var head = 0
  }

  private let state = Mutex(State())
  private let blocking = BlockingThreads()

  /// Does something on a thread of its own while all tasks that it begins wait to be stepped.
  ///
  /// What the body began should have ended when it returns: what is left then is run to where it
  /// waits, and goes on later as it would have without this.
  ///
  /// - Parameter body: What to do; it is given what runs the tasks.
  /// - Returns: What the body returns; `nil` where there is no thread, or the runtime has no place.
  package static func use<Value: Sendable>(
    _ body: @escaping @Sendable (SteppedTasks) -> Value
  ) -> Value? {
    guard EnqueueHook.isInstalled else { return nil }
    return onThread {
      let tasks = SteppedTasks()
      EnqueueHook.tasks = tasks
      let value = body(tasks)
      EnqueueHook.tasks = nil
      tasks.settle()
      return value
    }
  }

  /// Runs tasks until all of them wait for something, or for a call that blocks.
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

  /// Makes a thread of a task's own, as far as that is to be seen: where calls may block, its jobs
  /// are run on a thread that blocks.
  ///
  /// - Returns: What a task is to prefer.
  package func thread() -> any TaskExecutor { SteppedThread(self) }

  /// From now on calls may block, or do not any more; those that do are waited for once none may.
  ///
  /// - Parameter mayBlock: Whether they may: what ``block(_:)`` does has to be able to go on where not.
  package func expectBlocking(_ mayBlock: Bool) {
    blocking.isExpected = mayBlock
    if !mayBlock { blocking.waitUntilNoneBlocks() }
  }

  /// Does what blocks until the test ends it; ``settle()`` does not wait for it.
  ///
  /// - Parameter body: What to do; nothing but the test may make it return.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  package func block<Value>(_ body: () throws -> Value) rethrows -> Value {
    try blocking.block(body)
  }

  /// Takes a job, as of a task that prefers this executor.
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

/// The place that the runtime has for whoever wants to run its tasks.
private enum EnqueueHook {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Whose thread this is.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Whether there is a place; it is taken once, and does nothing for threads of nobody's.
  static let isInstalled: Bool = {
    guard let place = dlsym(nil, "swift_task_enqueueGlobal_hook") else { return false }
    _ = key
    place.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
      guard let tasks = EnqueueHook.tasks else { return original(job) }
      tasks.add(job)
    }
    return true
  }()

  /// What runs the tasks of this thread.
  static var tasks: SteppedTasks? {
    get {
      pthread_getspecific(key).map {
        Unmanaged<SteppedTasks>.fromOpaque($0).takeUnretainedValue()
      }
    }
    set { pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
  }
}
