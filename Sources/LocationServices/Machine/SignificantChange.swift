// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Lets pass what lies far from the location before it, and not too soon after.
///
/// With Core Location's figures: at least 500 m and at most once in five minutes. The first
/// location passes at once; Core Location's first is often an old one.
struct SignificantChange: Sendable {
  static let minimumMeters = 500.0
  static let minimumSeconds = 300.0

  private var last: (location: Location, at: MonotonicTime)?

  mutating func reset() { last = nil }

  mutating func passes(_ location: Location, at now: MonotonicTime) -> Bool {
    if let last {
      guard now.seconds(since: last.at) >= Self.minimumSeconds,
        last.location.distanceMeters(to: location) >= Self.minimumMeters
      else { return false }
    }
    last = (location, now)
    return true
  }

}
