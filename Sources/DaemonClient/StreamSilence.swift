// SPDX-License-Identifier: Apache-2.0

/// Decides when a stream on which nothing comes is given up: events in, actions out.
///
/// The daemon sends something every so often, and declares how often. One that hangs or is stopped
/// keeps its connections, so that its silence is all there is to tell it by.
struct StreamSilence: Equatable, Sendable {
  enum Event: Equatable, Sendable {
    /// The stream has begun.
    case began
    /// Something came.
    case heard
    /// The wait is over.
    case waited
  }

  enum Action: Equatable, Sendable {
    case wait(Duration)
    case giveUp
  }

  /// How many of the declared intervals may pass in silence.
  static let intervals = 3
  /// How long the beginning of a stream may take: as long as silence on one of the usual interval.
  static let answerSeconds: Int64 = 45

  private let interval: Duration?
  private var heardAt = Duration.zero
  private var dueAt = Duration.zero

  /// Begins.
  ///
  /// - Parameter heartbeatSeconds: How often something comes at least; `nil` where that is not
  ///   declared, and the stream is never given up.
  init(heartbeatSeconds: Int?) { interval = heartbeatSeconds.map { .seconds($0) } }

  /// Takes an event.
  mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    guard let interval else { return [] }
    switch event {
    case .heard: heardAt = now
    case .began:
      heardAt = now
      return wait(interval * Self.intervals, now)
    case .waited:
      let rest = heardAt + interval * Self.intervals - now
      if rest > .zero { return wait(rest, now) }
      // This process was held up itself: what came meanwhile is yet to be read.
      if now - dueAt > interval { return wait(interval, now) }
      return [.giveUp]
    }
    return []
  }

  private mutating func wait(_ duration: Duration, _ now: Duration) -> [Action] {
    dueAt = now + duration
    return [.wait(duration)]
  }
}
