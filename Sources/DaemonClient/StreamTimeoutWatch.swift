// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Waits until a stream has received no data for too long.
final class StreamTimeoutWatch: Sendable {
  private let timeout: Mutex<StreamTimeout>
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Duration

  init(_ timeout: StreamTimeout, clock: any Clock<Duration>) {
    self.timeout = Mutex(timeout)
    self.clock = clock
    now = Self.reader(of: clock)
  }

  private static func reader(of clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }

  /// Records that the stream received data.
  func recordInput() { handle(.received) }

  /// Waits until the stream has timed out.
  ///
  /// - Returns: Whether the stream has timed out; false if the task was cancelled, or the daemon
  ///   declares no heartbeat interval.
  func waitForTimeout() async -> Bool {
    var actions = handle(.began)
    while let action = actions.first {
      switch action {
      case .timeOut: return true
      case .wait(let duration):
        guard (try? await clock.sleep(for: duration)) != nil else { return false }
        actions = handle(.waited)
      }
    }
    return false
  }

  @discardableResult
  private func handle(_ event: StreamTimeout.Event) -> [StreamTimeout.Action] {
    let now = now()
    return timeout.withLock { $0.handle(event, at: now) }
  }
}
