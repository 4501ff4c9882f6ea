// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import Synchronization
internal import SystemSupport

/// A task executor with several threads, only one of which normally runs jobs; for tasks that are
/// usually waiting.
///
/// Swift's shared pool wakes another thread for each job, about a dozen times for each location,
/// which drains a battery. In this executor, the active thread also runs the jobs that its own jobs
/// enqueue, so that a location costs one wakeup.
///
/// Jobs start in the order in which they were enqueued. If a job blocks for more than 250 ms, the
/// next enqueued job wakes another thread. There are at most eight threads, so this executor does
/// not suit tasks that regularly block. The threads end with the executor; a blocked thread ends
/// when its blocking call returns.
package final class SerialTaskExecutor: TaskExecutor {
  private static let limit = 8
  private static let stallNanoseconds: Int64 = 250_000_000

  /// The threads' shared state, which outlives the executor.
  private final class Workers: Sendable {
    private struct State {
      // Each job retains the executor that it runs on.
      var queue: JobQueue<(UnownedJob, SerialTaskExecutor)>
      var isClosed = false
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> MonotonicTime
    /// One semaphore for each worker, on which the worker waits while idle.
    private let semaphores = (0..<SerialTaskExecutor.limit).map { _ in ThreadSemaphore() }

    init(now: @escaping @Sendable () -> MonotonicTime) {
      state = Mutex(
        State(
          queue: JobQueue(
            limit: SerialTaskExecutor.limit,
            stallNanoseconds: SerialTaskExecutor.stallNanoseconds)))
      self.now = now
    }

    /// Starts the first thread; returns false if no thread can be started.
    func begin() -> Bool {
      let time = now()
      return start(state.withLock { $0.queue.addWorker(at: time) })
    }

    func add(_ job: UnownedJob, _ executor: SerialTaskExecutor) {
      let time = now()
      switch state.withLock({ $0.queue.add((job, executor), at: time) }) {
      case .nothing: return
      case .wake(let worker): semaphores[worker].post()
      case .start(let worker):
        guard !start(worker) else { return }
        let wakeup = state.withLock { $0.queue.handleStartFailure(worker, at: time) }
        if case .wake(let other) = wakeup { semaphores[other].post() }
      }
    }

    /// Starts a thread with all signals blocked.
    private func start(_ worker: Int) -> Bool { BlockingThread.start { self.run(worker) } }

    func close() {
      state.withLock { $0.isClosed = true }
      for semaphore in semaphores { semaphore.post() }
    }

    private func run(_ worker: Int) {
      while true {
        let time = now()
        let (next, isClosed) = state.withLock {
          ($0.queue.next(for: worker, at: time), $0.isClosed)
        }
        if let (job, executor) = next {
          job.runSynchronously(on: executor.asUnownedTaskExecutor())
        } else if isClosed {
          return
        } else {
          semaphores[worker].wait()
        }
      }
    }
  }

  private let workers: Workers

  /// Starts the first thread; returns `nil` if no thread can be started.
  package init?(now: @escaping @Sendable () -> MonotonicTime) {
    workers = Workers(now: now)
    guard workers.begin() else { return nil }
  }

  deinit { workers.close() }

  /// Enqueues a job.
  package func enqueue(_ job: consuming ExecutorJob) { workers.add(UnownedJob(job), self) }
}
