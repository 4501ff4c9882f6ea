// SPDX-License-Identifier: Apache-2.0

import FixcastTesting

/// A manual clock that says until when somebody wants to sleep.
struct LoudClock: Clock {
  let base = ManualClock()
  let deadlines = EventRecorder<Duration>()
  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    deadlines.record(ManualClock().now.duration(to: deadline))
    try await base.sleep(until: deadline)
  }
}
