// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Starts threads for work that blocks: those of Swift's pool are as few as there are cores.
package enum OwnThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs something on a thread of its own that no signal reaches.
  ///
  /// - Parameter body: What to run.
  /// - Returns: Whether there was a thread to be had; where there was none, nothing is run.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = Unmanaged.passRetained(Work(body))
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
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, context.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    if number != 0 { context.release() }
    return number == 0
  }

  /// Waits for what blocks without blocking: it runs on a thread of its own.
  ///
  /// Where there is no thread to be had it runs on the caller's: late is better than never.
  ///
  /// - Parameter body: What to run.
  /// - Returns: What it has returned.
  package static func value<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value
  {
    await withCheckedContinuation { continuation in
      if !start({ continuation.resume(returning: body()) }) {
        continuation.resume(returning: body())
      }
    }
  }
}
