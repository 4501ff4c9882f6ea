// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Runs blocking work one piece after another, on a thread that is there only while there is any.
///
/// Files and locks may keep whoever touches them waiting, and Swift's pool has one thread a core.
package final class SerialWorkQueue: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isRunning = false
    var refusedCount: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// How many pieces of work were not taken, for too many that waited.
  package var refusedCount: UInt64 { state.withLock { $0.refusedCount } }

  /// Runs a piece of work behind those that were given before.
  ///
  /// - Parameters:
  ///   - limit: How many may wait; `nil` for what must not be dropped.
  ///   - job: The work.
  /// - Returns: Whether it is run; false where too many wait already.
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
    // No thread to be had: late is better than never.
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
