// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import Synchronization

/// The board's UTC time: the system clock, or a receiver's time if the system clock is wrong.
package final class BoardClock: Sendable {
  private let receiver = Mutex<ReceiverClock?>(nil)
  private let system: @Sendable () -> UTCTime
  private let now: @Sendable () -> MonotonicTime

  /// Creates a clock that equals the system clock until a receiver's time is noted.
  package init(
    system: @escaping @Sendable () -> UTCTime = SystemClock.utcNow,
    now: @escaping @Sendable () -> MonotonicTime = MonotonicTime.now
  ) {
    self.system = system
    self.now = now
  }

  /// Stores a receiver's time; ignores `nil`.
  package func note(_ clock: ReceiverClock?) {
    if let clock { receiver.withLock { $0 = clock } }
  }

  /// Discards the receiver's time, which was not certain.
  package func forget() { receiver.withLock { $0 = nil } }

  /// The error of the system clock; `nil` if it is not known to be wrong.
  package var systemError: SystemClockError? {
    SystemClockError(system: system(), receiver: receiver.withLock { $0 }, at: now())
  }

  /// The current time.
  package var utcNow: UTCTime { systemError?.receiverTime ?? system() }

  /// The current time, with the time since boot.
  package var timestamp: BootTimestamp {
    var timestamp = BootTimestamp.now()
    timestamp.utcSeconds = utcNow.secondsSince1970
    return timestamp
  }
}
