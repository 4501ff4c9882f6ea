// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Runs blocking work one piece after another, on a thread that is there only while there is any.
///
/// Files and locks may keep whoever touches them waiting, and Swift's pool has one thread a core.
final class SerialJobs: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Runs a piece of work behind those that were given before.
  ///
  /// - Parameters:
  ///   - limit: How many may wait; `nil` for what must not be dropped.
  ///   - job: The work.
  /// - Returns: Whether it is run; false where too many wait already.
  @discardableResult
  func add(atMost limit: Int? = nil, _ job: @escaping @Sendable () -> Void) -> Bool {
    let starts: Bool? = state.withLock { state in
      if let limit, state.jobs.count >= limit { return nil }
      state.jobs.append(job)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts == true { start() }
    return starts != nil
  }

  private func start() {
    let context = Unmanaged.passRetained(self)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 1 << 20)
    // Inherited by the thread: signals are for whoever waits for them.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    var thread = pthread_t()
    let number = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        Unmanaged<SerialJobs>.fromOpaque(context).takeRetainedValue().drain()
        return nil
      }, context.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard number != 0 else { return }
    // No thread to be had: late is better than never.
    context.release()
    drain()
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
