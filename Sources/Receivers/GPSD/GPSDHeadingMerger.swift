// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Adds the heading of gpsd's ATT reports to the next fix.
///
/// A compass may be a device of its own, so a heading of a device without fixes is added to the
/// next fix of any receiver.
struct GPSDHeadingMerger: Sendable {
  /// The maximum age of a heading, so that no old heading is added after a pause of the fixes.
  static let maxAgeNanoseconds: Int64 = 2_000_000_000

  private var last: (heading: GPSDHeading, receivedAt: MonotonicTime)?

  mutating func take(_ heading: GPSDHeading, receivedAt: MonotonicTime) {
    last = (heading, receivedAt)
  }

  /// Adds the heading to the first suitable fix.
  ///
  /// - Parameters:
  ///   - events: The events of one report or tick.
  ///   - receivers: The names of the receivers that deliver fixes.
  ///   - now: The current time.
  /// - Returns: The events, otherwise unchanged.
  mutating func add(
    to events: [FixSourceEvent], receivers: [String], at now: MonotonicTime
  ) -> [FixSourceEvent] {
    guard let (heading, receivedAt) = last else { return events }
    guard now.nanoseconds &- receivedAt.nanoseconds <= Self.maxAgeNanoseconds else {
      last = nil
      return events
    }
    return events.map { event in
      guard last != nil, case .fix(var fix) = event,
        fix.source == heading.device || !receivers.contains(heading.device)
      else { return event }
      last = nil
      fix.headingDegreesTrue = heading.degreesTrue
      fix.headingDegreesMagnetic = heading.degreesMagnetic
      fix.rollDegrees = heading.rollDegrees
      fix.pitchDegrees = heading.pitchDegrees
      return .fix(fix)
    }
  }
}
