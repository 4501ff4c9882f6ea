// SPDX-License-Identifier: Apache-2.0

/// A manual clock that says until when somebody wants to sleep.
package struct RecordingClock: Clock {
  /// The clock that a test moves.
  package let base = ManualClock()
  /// When each sleep so far was to end, counted from when the clock was made.
  package let deadlines = EventRecorder<Duration>()

  package init() {}

  /// The present reading.
  package var now: ManualClock.Instant { base.now }

  /// The smallest step that means anything.
  package var minimumResolution: Duration { base.minimumResolution }

  /// Sleeps until the test has moved the clock to a deadline.
  ///
  /// - Parameters:
  ///   - deadline: When to wake.
  ///   - tolerance: Ignored: this clock is exact.
  /// - Throws: `CancellationError` where the task is cancelled.
  package func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    deadlines.record(deadline.offset)
    try await base.sleep(until: deadline)
  }
}
