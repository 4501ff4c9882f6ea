// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Suppresses a location close to the last delivered one, unless the new one is more precise.
struct DistanceFilter: Equatable, Sendable {
  /// The minimum distance in metres; `nil` lets every location pass.
  var meters: Double?
  private var last: Location?

  init(meters: Double? = nil) { self.meters = meters }

  /// Lets the next location pass.
  mutating func reset() { last = nil }

  mutating func passes(_ location: Location) -> Bool {
    guard let meters, meters > 0 else { return true }
    if let last, !isMorePrecise(location, than: last),
      last.distanceMeters(to: location) < meters
    {
      return false
    }
    last = location
    return true
  }

  private func isMorePrecise(_ location: Location, than last: Location) -> Bool {
    guard let meters = location.horizontalAccuracyMeters else { return false }
    return last.horizontalAccuracyMeters.map { meters < $0 } ?? true
  }
}
