// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Lets pass what lies far from the location before it, and not too soon after.
///
/// With Core Location's figures: at least 500 m and at most once in five minutes. The first
/// location passes at once; Core Location's first is often an old one. In the next run the one
/// that passed last in this counts on.
struct SignificantChange: Codable, Equatable, Sendable {
  static let minimumMeters = 500.0
  static let minimumSeconds = 300.0

  /// What passed last; times along the track are of this run only, and not stored.
  private struct Last: Codable, Equatable {
    var coordinate: Coordinate
    var time: UTCTime?
    var at: MonotonicTime?

    enum CodingKeys: String, CodingKey { case coordinate, time }

    /// How long ago it was; `nil` where nobody knows.
    func seconds(until time: UTCTime?, at now: MonotonicTime) -> Double? {
      if let at { return now.seconds(since: at) }
      guard let time, let nanoseconds = self.time.map({ time.nanoseconds(since: $0) }),
        nanoseconds >= 0
      else { return nil }
      return Double(nanoseconds) / 1e9
    }
  }

  private var last: Last?

  init() {}

  /// Whether there is one that the next is measured from.
  var isUnderWay: Bool { last != nil }

  mutating func reset() { last = nil }

  mutating func passes(_ location: Location, at now: MonotonicTime) -> Bool {
    if let last {
      let seconds = last.seconds(until: location.time, at: now) ?? Self.minimumSeconds
      guard seconds >= Self.minimumSeconds,
        last.coordinate.distanceMeters(to: location.coordinate) >= Self.minimumMeters
      else { return false }
    }
    last = Last(coordinate: location.coordinate, time: location.time, at: now)
    return true
  }
}
