// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Runs blocking jobs one after another, on a thread that exists only while there are jobs.
///
/// File operations and locks may block, and Swift's thread pool has only one thread per core.
package final class SerialWorkQueue: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isRunning = false
    var refusedCount: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// The number of jobs refused because too many were waiting.
  package var refusedCount: UInt64 { state.withLock { $0.refusedCount } }

  /// Adds a job to the queue.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of waiting jobs; `nil` for no limit.
  ///   - job: The job.
  /// - Returns: Whether the job was added; false if too many are waiting.
  @discardableResult
  package func add(atMost limit: Int? = nil, _ job: @escaping @Sendable () -> Void) -> Bool {
    let starts: Bool? = state.withLock { state in
      if let limit, state.jobs.count >= limit {
        state.refusedCount &+= 1
        return nil
      }
      state.jobs.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts == true { start() }
    return starts != nil
  }

  private func start() {
    // If no thread can be created, the jobs run on the caller's thread.
    if !BlockingThread.start({ self.drain() }) { drain() }
  }

  private func drain() {
    while true {
      let job: (@Sendable () -> Void)? = state.withLock { state in
        if state.jobs.isEmpty {
          state.isRunning = false
          return nil
        }
        return state.jobs.removeFirst()
      }
      guard let job else { return }
      job()
    }
  }
}
