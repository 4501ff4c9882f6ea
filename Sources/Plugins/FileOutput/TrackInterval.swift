// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Which locations a track is made of, where a receiver tells of more than are wanted.
struct TrackInterval {
  /// How many seconds lie between two points, at least; 0 for every location.
  var seconds: Double
  private var last: Location?

  init(seconds: Double) { self.seconds = seconds }

  /// Whether a location is a point of the track.
  mutating func take(_ location: Location) -> Bool {
    if let last, last.source == location.source, let since = location.secondsSince(last),
      // Half a hundredth early is in time: receivers' clocks are not that exact.
      since >= 0, since < seconds - 0.005
    {
      return false
    }
    last = location
    return true
  }
}

extension Location {
  /// Seconds from another location to this one, by the receiver's clock or else by the board's;
  /// `nil` where neither tells.
  func secondsSince(_ other: Location) -> Double? {
    if let then = other.time, let now = time { return Double(now.nanoseconds(since: then)) / 1e9 }
    guard let then = other.receivedAt, let now = receivedAt else { return nil }
    return now.seconds(since: then)
  }
}
