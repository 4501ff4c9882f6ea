// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A clock that follows the times of the locations.
///
/// On this clock, replayed recordings and delayed batches keep their original durations. If a
/// location has no time, or an implausible one, the clock advances by the time between arrivals.
struct TrackClock: Sendable {
  /// The longest plausible step; a longer step is a corrected date, not a pause.
  private static let longestStepNanoseconds: Int64 = 86_400_000_000_000

  private var previous: (time: UTCTime?, arrival: MonotonicTime)?
  private(set) var now = MonotonicTime(nanoseconds: 0)

  /// Advances to the time of a location and returns the time on this clock.
  mutating func advance(to time: UTCTime?, arrival: MonotonicTime) -> MonotonicTime {
    if let previous {
      let arrivalStep = max(0, arrival.nanoseconds &- previous.arrival.nanoseconds)
      let trackStep = time.flatMap { time in previous.time.map { time.nanoseconds(since: $0) } }
      let isPlausible = trackStep.map { $0 >= 0 && $0 <= Self.longestStepNanoseconds } ?? false
      now = now.advanced(byNanoseconds: isPlausible ? (trackStep ?? arrivalStep) : arrivalStep)
    }
    previous = (time, arrival)
    return now
  }
}
