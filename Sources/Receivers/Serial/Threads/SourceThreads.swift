// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A registry of all threads of this process that read from receivers, gpsd or udev.
///
/// The registry is global, so that the daemon can check all threads without a reference to their
/// sources.
public enum SourceThreads {
  private struct Threads {
    var byNumber: [UInt64: ThreadLiveness] = [:]
    var count: UInt64 = 0
  }

  private static let threads = Mutex(Threads())

  /// Returns when every registered thread has shown that it does not hang.
  ///
  /// A thread that waits for input counts as responsive. For a working thread, the call returns
  /// when the thread next waits. Returns at once if there are no threads or the task is cancelled.
  public static func ping() async {
    for thread in threads.withLock({ Array($0.byNumber.values) }) { await thread.ping() }
  }

  /// Registers a thread and returns its number.
  static func add(_ liveness: ThreadLiveness) -> UInt64 {
    threads.withLock { threads in
      threads.count &+= 1
      threads.byNumber[threads.count] = liveness
      return threads.count
    }
  }

  /// Unregisters a thread that ends.
  static func remove(_ number: UInt64) {
    // Resumes the tasks that wait for this thread.
    threads.withLock { $0.byNumber.removeValue(forKey: number) }?.beginWaiting()
  }
}
