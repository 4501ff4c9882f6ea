// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The time along a track, by the locations themselves.
///
/// A recording played at once, or locations that arrive in a lump after a delay, still dwell and
/// leave as they did. Where a location has no time, or one that cannot follow the one before, the
/// time of its arrival counts.
struct TrackClock: Sendable {
  /// A step longer than this is a date put right, not a wait.
  private static let longestStepNanoseconds: Int64 = 86_400_000_000_000

  private var previous: (time: UTCTime?, arrival: MonotonicTime)?
  private(set) var now = MonotonicTime(nanoseconds: 0)

  /// Takes the time of a location; gives the time on this clock.
  mutating func advance(to time: UTCTime?, arrival: MonotonicTime) -> MonotonicTime {
    if let previous {
      let waited = max(0, arrival.nanoseconds &- previous.arrival.nanoseconds)
      let stated = time.flatMap { time in previous.time.map { time.nanoseconds(since: $0) } }
      let isStep = stated.map { $0 >= 0 && $0 <= Self.longestStepNanoseconds } ?? false
      now = now.advanced(byNanoseconds: isStep ? (stated ?? waited) : waited)
    }
    previous = (time, arrival)
    return now
  }
}
