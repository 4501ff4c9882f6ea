// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The threads of this process that read receivers and gpsd, and listen to udev.
///
/// They are one board's, whichever source began them: so a daemon can ask them all without knowing
/// them, and a source that is used alone need not be asked at all.
public enum SourceThreads {
  private struct Threads {
    var pulses: [UInt64: ThreadLiveness] = [:]
    var count: UInt64 = 0
  }

  private static let threads = Mutex(Threads())

  /// Returns when each of them has shown that it does not hang.
  ///
  /// One that waits has; one that is at work has when it is done with that. Returns at once where
  /// there is none, and when the task is cancelled.
  public static func answer() async {
    for pulse in threads.withLock({ Array($0.pulses.values) }) { await pulse.answer() }
  }

  /// A thread begins.
  static func add(_ pulse: ThreadLiveness) -> UInt64 {
    threads.withLock { threads in
      threads.count &+= 1
      threads.pulses[threads.count] = pulse
      return threads.count
    }
  }

  /// It ends.
  static func remove(_ number: UInt64) {
    // Whoever waits for it need not any longer.
    threads.withLock { $0.pulses.removeValue(forKey: number) }?.waits()
  }
}
