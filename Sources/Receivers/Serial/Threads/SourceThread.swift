// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// Starts the threads of sources and registers them in ``SourceThreads``.
enum SourceThread {
  /// Runs a closure on a new thread.
  ///
  /// - Parameter body: The closure. It must report to the ``ThreadLiveness`` each time the thread
  ///   begins to wait and each time the thread continues. The initial state is working.
  /// - Throws: `SystemCallFailure` if no thread can be created; the closure then never runs.
  static func start(
    _ body: @escaping @Sendable (ThreadLiveness) -> Void
  ) throws(SystemCallFailure) {
    let isStarted = BlockingThread.start {
      let liveness = ThreadLiveness()
      let number = SourceThreads.add(liveness)
      body(liveness)
      SourceThreads.remove(number)
    }
    if !isStarted { throw SystemCallFailure(call: "pthread_create", number: EAGAIN) }
  }
}
