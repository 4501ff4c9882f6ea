// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Starts threads of our own, for calls that block: Swift's pool has one thread a core and must
/// not be kept waiting by a serial line.
enum DetachedThread {
  private final class Body: Sendable {
    let run: @Sendable (ThreadPulse) -> Void
    init(_ run: @escaping @Sendable (ThreadPulse) -> Void) { self.run = run }
  }

  /// Runs a closure on a new thread that no signal is delivered to.
  ///
  /// - Parameter body: What to run; the thread ends with it. It says when it waits and when it works,
  ///   for ``SourceThreads``; at its beginning it works.
  /// - Throws: ``SystemCallFailure`` where there is no thread to be had; the body then never runs.
  static func start(
    _ body: @escaping @Sendable (ThreadPulse) -> Void
  ) throws(SystemCallFailure) {
    // Inherited by the thread: SIGTERM is for whoever waits for it.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 512 << 10)

    let watched = Body { pulse in
      let number = SourceThreads.add(pulse)
      body(pulse)
      SourceThreads.remove(number)
    }
    let context = Unmanaged.passRetained(watched)
    var thread = pthread_t()
    let number = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run(ThreadPulse())
        return nil
      }, context.toOpaque())
    guard number == 0 else {
      context.release()
      throw SystemCallFailure(call: "pthread_create", number: number)
    }
  }
}
