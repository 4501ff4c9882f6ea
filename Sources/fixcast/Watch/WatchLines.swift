// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Positioning
import Receivers
internal import SystemSupport

/// A sink that forwards events to another sink, with at most one fix per second.
actor WatchLines: Sink {
  nonisolated let name = "lines"
  /// Slightly less than a second, since epochs do not arrive exactly one second apart.
  private static let secondsBetweenFixes = 0.9

  private let sink: any Sink
  private let now: @Sendable () -> MonotonicTime
  private var hasWarned = false
  private var lastFix: MonotonicTime?

  init(
    _ sink: any Sink, now: @escaping @Sendable () -> MonotonicTime = { .now() }
  ) {
    self.sink = sink
    self.now = now
  }

  func receive(_ event: any PipelineEvent) async throws {
    if let event = event as? LocationEvent {
      let now = now()
      warn(event.location, now)
      if let lastFix, now.seconds(since: lastFix) < Self.secondsBetweenFixes { return }
      lastFix = now
    }
    try await sink.receive(event)
  }

  /// Reports a wrong system clock once.
  private func warn(_ location: Location, _ now: MonotonicTime) {
    guard !hasWarned, let clock = ReceiverClock(location),
      let error = SystemClockError(system: SystemClock.utcNow(), receiver: clock, at: now)
    else { return }
    hasWarned = true
    StandardError.print("fixcast: \(error)")
  }
}
