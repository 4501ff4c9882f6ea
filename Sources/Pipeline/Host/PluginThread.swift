// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Synchronization
internal import SystemSupport

/// A thread of a plugin's own for its code to run on, so that one that blocks blocks itself alone.
///
/// The threads that all tasks share are as many as the board has processors: a few writes to pipes
/// that nobody reads would bring everything to a stop, deadlines included. The thread ends with the
/// executor; one that is blocked, when it is not any more.
final class PluginThread: TaskExecutor {
  /// What the thread waits for, which outlives the executor.
  private final class Queue: Sendable {
    private struct State {
      // With the executor, so that it is there as long as there is something to run on it.
      var jobs: [(UnownedJob, PluginThread)] = []
      var isClosed = false
    }

    private let state = Mutex(State())
    /// Posted for each job, and for the end.
    private let calls = ThreadSemaphore()

    func add(_ job: UnownedJob, _ executor: PluginThread) {
      state.withLock { $0.jobs.append((job, executor)) }
      calls.post()
    }

    func close() {
      state.withLock { $0.isClosed = true }
      calls.post()
    }

    /// Runs what comes until closed.
    func run() {
      while true {
        calls.wait()
        let (next, isClosed) = state.withLock { state in
          (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isClosed)
        }
        if let (job, executor) = next {
          job.runSynchronously(on: executor.asUnownedTaskExecutor())
        } else if isClosed {
          return
        }
      }
    }
  }

  private let queue = Queue()

  /// Starts a thread that no signal is delivered to; `nil` where there is none to be had.
  init?() {
    guard BlockingThread.start({ [queue] in queue.run() }) else { return nil }
  }

  deinit { queue.close() }

  /// Takes a job for the thread.
  func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job), self) }
}
