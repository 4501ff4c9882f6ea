// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Starts threads for blocking calls.
///
/// Swift's thread pool has one thread per core, so a blocked task delays other tasks.
package enum BlockingThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs a closure on a new thread on which all signals are blocked.
  ///
  /// Returns false if no thread can be created; the closure then never runs.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = Unmanaged.passRetained(Work(body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 1 << 20)
    // The new thread inherits the signal mask.
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

  /// Runs a blocking closure on a new thread and returns its result.
  ///
  /// The closure runs on the caller's thread if no thread can be created.
  package static func value<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value
  {
    await withCheckedContinuation { continuation in
      if !start({ continuation.resume(returning: body()) }) {
        continuation.resume(returning: body())
      }
    }
  }
}
