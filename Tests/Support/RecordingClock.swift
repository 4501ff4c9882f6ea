// SPDX-License-Identifier: Apache-2.0

/// A manual clock that records the deadlines of all sleeps.
package struct RecordingClock: Clock {
  /// The clock that a test advances.
  package let base = ManualClock()
  /// The deadline of each sleep, since the clock was made.
  package let deadlines = EventRecorder<Duration>()

  package init() {}

  /// The current reading.
  package var now: ManualClock.Instant { base.now }

  /// The resolution of the clock.
  package var minimumResolution: Duration { base.minimumResolution }

  /// Sleeps until the test has advanced the clock to a deadline.
  ///
  /// - Parameters:
  ///   - deadline: The deadline.
  ///   - tolerance: Ignored.
  /// - Throws: `CancellationError` if the task is cancelled.
  package func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    deadlines.record(deadline.offset)
    try await base.sleep(until: deadline)
  }
}
