// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SystemSupport

/// A task executor with its own thread, so that a blocking plugin does not delay other plugins.
///
/// Swift's shared pool has one thread for each processor: a few blocked writes to pipes would stop
/// the whole program, including the deadlines. The thread ends with the executor, or, if the thread
/// is blocked, when the blocking call returns.
final class PluginThread: TaskExecutor {
  /// The thread's job queue, which outlives the executor.
  private final class Queue: Sendable {
    private struct State {
      // Each job retains the executor that it runs on.
      var jobs: [(UnownedJob, PluginThread)] = []
      var isClosed = false
    }

    private let state = Mutex(State())
    /// Posted once for each job, and once when the queue is closed.
    private let semaphore = ThreadSemaphore()

    func add(_ job: UnownedJob, _ executor: PluginThread) {
      state.withLock { $0.jobs.append((job, executor)) }
      semaphore.post()
    }

    func close() {
      state.withLock { $0.isClosed = true }
      semaphore.post()
    }

    /// Runs jobs until the queue is closed.
    func run() {
      while true {
        semaphore.wait()
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

  /// Starts a thread with all signals blocked; returns `nil` if no thread can be started.
  init?() {
    guard BlockingThread.start({ [queue] in queue.run() }) else { return nil }
  }

  deinit { queue.close() }

  /// Enqueues a job for the thread.
  func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job), self) }
}
