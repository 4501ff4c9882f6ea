// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Detects that a stream has received no data for too long.
///
/// The daemon sends heartbeats at an interval that it declares. A daemon that hangs or is stopped
/// keeps its connections open, so that only the lack of data shows the failure.
final class StreamTimeout: Sendable {
  /// Number of heartbeat intervals without data after which a stream has timed out.
  static let intervals = 3
  /// Time limit for the start of a stream, in seconds: three default intervals of 15 seconds.
  static let answerSeconds: Int64 = 45

  private let interval: Duration?
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Duration
  private let receivedAt: Mutex<Duration>

  /// Creates a timeout of a stream that starts now.
  ///
  /// Without a declared heartbeat interval, the stream never times out.
  init(heartbeatSeconds: Int?, clock: any Clock<Duration>) {
    interval = heartbeatSeconds.map { .seconds($0) }
    self.clock = clock
    now = Self.reader(of: clock)
    receivedAt = Mutex(.zero)
  }

  private static func reader(of clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }

  /// Records that the stream received data.
  func recordInput() { receivedAt.withLock { $0 = now() } }

  /// Waits until the stream has timed out.
  ///
  /// - Returns: Whether the stream has timed out; false if the task was cancelled, or the daemon
  ///   declares no heartbeat interval.
  func wait() async -> Bool {
    guard let interval else { return false }
    while case let dueAt = receivedAt.withLock({ $0 }) + interval * Self.intervals, dueAt > now() {
      guard (try? await clock.sleep(for: dueAt - now())) != nil else { return false }
      // If the wait ended late, this process was suspended. Give it time to read data that may have
      // arrived.
      if now() - dueAt > interval, (try? await clock.sleep(for: interval)) == nil { return false }
    }
    return true
  }
}
