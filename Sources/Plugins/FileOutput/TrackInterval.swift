// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Selects the locations that become points of a track: locations at a minimum interval.
struct TrackInterval {
  /// The minimum time between two points, in seconds; 0 for every location.
  var seconds: Double
  private var last: Location?

  init(seconds: Double) { self.seconds = seconds }

  /// Whether a location becomes a point of the track.
  mutating func take(_ location: Location) -> Bool {
    if let last, last.source == location.source, let since = location.secondsSince(last),
      // Allow 5 ms for the inaccuracy of receivers' clocks.
      since >= 0, since < seconds - 0.005
    {
      return false
    }
    last = location
    return true
  }
}

extension Location {
  /// Returns the seconds from another location to this location.
  ///
  /// Uses the receiver's times if they are known for both locations, otherwise the times of
  /// arrival. Returns `nil` if these are not known either.
  func secondsSince(_ other: Location) -> Double? {
    Moment(time, receivedAt).seconds(since: Moment(other.time, other.receivedAt))
  }
}
