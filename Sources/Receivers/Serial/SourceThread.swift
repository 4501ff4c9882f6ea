// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SystemSupport

/// Starts threads of sources, which ``SourceThreads`` knows.
enum SourceThread {
  /// Runs a closure on a new thread.
  ///
  /// - Parameter body: The closure. It tells the pulse when it waits and when it works; it begins
  ///   working.
  /// - Throws: `SystemCallFailure` where the system has no thread; the closure then never runs.
  static func start(
    _ body: @escaping @Sendable (ThreadLiveness) -> Void
  ) throws(SystemCallFailure) {
    let isStarted = BlockingThread.start {
      let pulse = ThreadLiveness()
      let number = SourceThreads.add(pulse)
      body(pulse)
      SourceThreads.remove(number)
    }
    if !isStarted { throw SystemCallFailure(call: "pthread_create", number: EAGAIN) }
  }
}
