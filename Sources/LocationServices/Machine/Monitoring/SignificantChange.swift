// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Passes a location if it is far enough from the last passed one and enough time has elapsed.
///
/// Uses Core Location's values: at least 500 m, and at most once in five minutes. The first
/// location passes at once; Core Location's first location is often outdated. After a restart,
/// the last passed location of the earlier run remains the reference.
struct SignificantChange: Codable, Equatable, Sendable {
  static let minimumMeters = 500.0
  static let minimumSeconds = 300.0

  /// The last passed location; the monotonic time belongs to this run and is not stored.
  private struct Last: Codable, Equatable {
    var coordinate: Coordinate
    var time: UTCTime?
    var at: MonotonicTime?

    enum CodingKeys: String, CodingKey { case coordinate, time }

    /// Returns the elapsed time in seconds; `nil` if it is unknown.
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

  /// Whether there is a location from which the distance of the next one is measured.
  var hasReference: Bool { last != nil }

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
