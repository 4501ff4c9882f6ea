// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
package import Positioning
internal import Synchronization
internal import SystemSupport

/// Threads for tasks that wait more than they work, of which one works at a time.
///
/// The pool that all tasks share calls another thread for each job that is handed in, and a location
/// on its way is a dozen of them: a board that is on batteries is woken a dozen times. Here the
/// thread that works takes what its own jobs hand in, and is woken once.
///
/// Jobs begin in the order in which they were handed in. Where one blocks, what is handed in
/// afterwards, and more than a quarter of a second after it began, brings another thread, up to
/// eight; nothing else does. So it is no place for what blocks as a rule. The threads end with the
/// executor; those that are blocked, when they are not any more.
package final class SerialTaskExecutor: TaskExecutor {
  private static let limit = 8
  private static let patienceNanoseconds: Int64 = 250_000_000

  /// What the threads work by, which outlives the executor.
  private final class Workers: Sendable {
    private struct State {
      // With the executor, so that it is there as long as there is something to run on it.
      var roster: JobQueue<(UnownedJob, SerialTaskExecutor)>
      var isClosed = false
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> MonotonicTime
    /// What each rests on.
    private let calls = (0..<SerialTaskExecutor.limit).map { _ in ThreadSemaphore() }

    init(now: @escaping @Sendable () -> MonotonicTime) {
      state = Mutex(
        State(
          roster: JobQueue(
            limit: SerialTaskExecutor.limit,
            patienceNanoseconds: SerialTaskExecutor.patienceNanoseconds)))
      self.now = now
    }

    /// Starts the first thread; false where there is none to be had.
    func begin() -> Bool {
      let time = now()
      return start(state.withLock { $0.roster.hire(at: time) })
    }

    func add(_ job: UnownedJob, _ executor: SerialTaskExecutor) {
      let time = now()
      switch state.withLock({ $0.roster.add((job, executor), at: time) }) {
      case .nobody: return
      case .wake(let worker): calls[worker].post()
      case .start(let worker):
        guard !start(worker) else { return }
        let call = state.withLock { $0.roster.couldNotStart(worker, at: time) }
        if case .wake(let other) = call { calls[other].post() }
      }
    }

    /// Starts a thread that no signal is delivered to.
    private func start(_ worker: Int) -> Bool { BlockingThread.start { self.run(worker) } }

    func close() {
      state.withLock { $0.isClosed = true }
      for call in calls { call.post() }
    }

    private func run(_ worker: Int) {
      while true {
        let time = now()
        let (next, isClosed) = state.withLock {
          ($0.roster.next(for: worker, at: time), $0.isClosed)
        }
        if let (job, executor) = next {
          job.runSynchronously(on: executor.asUnownedTaskExecutor())
        } else if isClosed {
          return
        } else {
          calls[worker].wait()
        }
      }
    }
  }

  private let workers: Workers

  /// Starts the first thread; `nil` where there is none to be had.
  package init?(now: @escaping @Sendable () -> MonotonicTime) {
    workers = Workers(now: now)
    guard workers.begin() else { return nil }
  }

  deinit { workers.close() }

  /// Takes a job.
  package func enqueue(_ job: consuming ExecutorJob) { workers.add(UnownedJob(job), self) }
}
