// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Runs every task of the process on one thread, job after job, and only when a test says so.
///
/// With a ``ManualClock`` a program of many tasks becomes a machine that takes one step after the
/// other: nothing happens between two calls of ``settle()``, nothing is left to happen after one,
/// and the same seed gives the same run. What waits for a thread of its own or for a descriptor is
/// not seen; the main actor goes on by itself.
///
/// It puts itself in the place that the runtime has for it, `swift_task_enqueueGlobal_hook`, which
/// holds for the whole process: one test at a time.
public final class SteppedTasks: TaskExecutor {
  private struct State {
    // Taken from the front, and cleared when all is done.
    var jobs: [UnownedJob] = []
    var head = 0
  }

  private let state = Mutex(State())

  /// Does something on a thread of its own while all tasks wait to be stepped.
  ///
  /// What the body began should have ended when it returns: what is left then is run to where it
  /// waits, and goes on later as it would have without this.
  ///
  /// - Parameter body: What to do; it is given what runs the tasks.
  /// - Returns: What the body returns; `nil` where there is no thread, or the runtime has no place.
  public static func use<Value: Sendable>(
    _ body: @escaping @Sendable (SteppedTasks) -> Value
  ) -> Value? {
    guard let place = dlsym(nil, "swift_task_enqueueGlobal_hook") else { return nil }
    // Written by the thread alone, while nobody else does.
    nonisolated(unsafe) let hook = place.assumingMemoryBound(to: Hook?.self)
    return onThread {
      let tasks = SteppedTasks()
      present.withLock { $0 = tasks }
      hook.pointee = { job, original in
        let isTaken = present.withLock { tasks in
          tasks?.add(job)
          return tasks != nil
        }
        if !isTaken { original(job) }
      }
      let value = body(tasks)
      hook.pointee = nil
      // Whoever is in the hook still has added its job, or will find nobody to add it to.
      present.withLock { $0 = nil }
      tasks.settle()
      return value
    }
  }

  /// Runs tasks until all of them wait for something.
  public func settle() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Takes a job, as of a task that prefers this executor.
  ///
  /// - Parameter job: The job.
  public func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

  private func add(_ job: UnownedJob) { state.withLock { $0.jobs.append(job) } }

  private func next() -> UnownedJob? {
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

private typealias Original = @convention(thin) (UnownedJob) -> Void
private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

/// Whoever has the hook.
private let present = Mutex<SteppedTasks?>(nil)
