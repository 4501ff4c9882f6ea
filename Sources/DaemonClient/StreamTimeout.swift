// SPDX-License-Identifier: Apache-2.0

/// Decides when a stream without data has timed out.
///
/// Takes events as input and returns actions.
///
/// The daemon sends heartbeats at an interval that it declares. A daemon that hangs or is stopped
/// keeps its connections open, so that only the lack of data shows the failure.
struct StreamTimeout: Equatable, Sendable {
  enum Event: Equatable, Sendable {
    /// The stream has started.
    case began
    /// The stream received data.
    case received
    /// The requested wait has ended.
    case waited
  }

  enum Action: Equatable, Sendable {
    case wait(Duration)
    case timeOut
  }

  /// Number of heartbeat intervals without data after which a stream has timed out.
  static let intervals = 3
  /// Time limit for the start of a stream, in seconds: three default intervals of 15 seconds.
  static let answerSeconds: Int64 = 45

  private let interval: Duration?
  private var receivedAt = Duration.zero
  private var dueAt = Duration.zero

  /// Creates a timeout from the declared heartbeat interval; if `nil`, the stream never times out.
  init(heartbeatSeconds: Int?) { interval = heartbeatSeconds.map { .seconds($0) } }

  mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    guard let interval else { return [] }
    switch event {
    case .received: receivedAt = now
    case .began:
      receivedAt = now
      return wait(interval * Self.intervals, now)
    case .waited:
      let remaining = receivedAt + interval * Self.intervals - now
      if remaining > .zero { return wait(remaining, now) }
      // The wait ended late, so this process was suspended. Give the process time to read data that
      // may have arrived.
      if now - dueAt > interval { return wait(interval, now) }
      return [.timeOut]
    }
    return []
  }

  private mutating func wait(_ duration: Duration, _ now: Duration) -> [Action] {
    dueAt = now + duration
    return [.wait(duration)]
  }
}
