// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning

/// A route as a function of distance.
///
/// Distances are unlimited: a closed route is repeated, and an open route is driven back and forth.
struct RouteTrack: Sendable {
  /// A geodesic between two waypoints, in metres and degrees.
  private struct Leg {
    var start: Coordinate
    var startDistance: Double
    var length: Double
    var bearing: Double
    var startAltitude: Double
    var endAltitude: Double
  }

  private let legs: [Leg]
  private let firstCoordinate: Coordinate
  private let firstAltitude: Double
  private let isClosed: Bool
  /// The length in metres from the first waypoint to the last.
  let length: Double

  /// The minimum distance between waypoints in metres.
  ///
  /// Closer waypoints are skipped, because in a recorded track they are only noise of a stationary
  /// receiver.
  static let minWaypointSpacing = 0.5

  init(_ route: SimulatedRoute) {
    let altitudes = Self.completeAltitudes(route.waypoints)
    var points = zip(route.waypoints.lazy.map(\.coordinate), altitudes).map { $0 }
    if let first = points.first, let last = points.last, points.count > 2 {
      let gap = first.0.distanceMeters(to: last.0)
      isClosed = gap < 100
      if isClosed { points.append(first) }
    } else {
      isClosed = false
    }
    var legs: [Leg] = []
    var distance = 0.0
    var previous = points.first
    for point in points.dropFirst() {
      guard let start = previous else { break }
      let length = start.0.distanceMeters(to: point.0)
      guard length >= Self.minWaypointSpacing,
        let bearing = start.0.initialBearingDegreesTrue(to: point.0)
      else { continue }
      legs.append(
        Leg(
          start: start.0, startDistance: distance, length: length, bearing: bearing,
          startAltitude: start.1, endAltitude: point.1))
      distance += length
      previous = point
    }
    self.legs = legs
    length = distance
    // A route has at least one waypoint; the fallback is never used.
    firstCoordinate = points.first?.0 ?? Self.fallback
    firstAltitude = points.first?.1 ?? 0
  }

  private static let fallback = SimulatedRoute.builtIn.waypoints[0].coordinate

  /// A position on the track, and the distance at which its leg ends.
  struct Place {
    var position: EarthVector
    var altitude: Double
    var legEnd: Double
  }

  func place(at distance: Double) -> Place {
    guard let leg = legs.first, length > 0 else {
      return Place(
        position: EarthVector(firstCoordinate), altitude: firstAltitude, legEnd: .infinity)
    }
    let period = isClosed ? length : 2 * length
    let origin = (distance / period).rounded(.down) * period
    let rest = distance - origin
    let isReturning = rest > length
    let along = isReturning ? 2 * length - rest : rest
    let currentLeg = index(at: along, isReturning: isReturning).map { legs[$0] } ?? leg
    let onLeg = max(0, min(currentLeg.length, along - currentLeg.startDistance))
    let coordinate =
      currentLeg.start.destination(distanceMeters: onLeg, bearingDegreesTrue: currentLeg.bearing)
      ?? currentLeg.start
    return Place(
      position: EarthVector(coordinate),
      altitude: currentLeg.startAltitude
        + (currentLeg.endAltitude - currentLeg.startAltitude) * (onLeg / currentLeg.length),
      legEnd: origin
        + (isReturning
          ? 2 * length - currentLeg.startDistance : currentLeg.startDistance + currentLeg.length))
  }

  /// Returns the index of the leg at a distance; at a waypoint, the index of the next leg.
  private func index(at along: Double, isReturning: Bool) -> Int? {
    var (low, high) = (0, legs.count)
    while low < high {
      let middle = low + (high - low) / 2
      let start = legs[middle].startDistance
      if isReturning ? start < along : start <= along {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return legs.isEmpty ? nil : max(0, low - 1)
  }

  /// Returns an altitude for every waypoint.
  ///
  /// Missing altitudes are interpolated linearly by waypoint index. If no altitude is known,
  /// rolling hills are simulated.
  private static func completeAltitudes(_ waypoints: [SimulatedRoute.Waypoint]) -> [Double] {
    let known = waypoints.indices.filter { waypoints[$0].altitudeMetersAboveSeaLevel != nil }
    guard let first = known.first, let last = known.last else {
      var distance = 0.0
      return waypoints.indices.map { index in
        if index > 0 {
          distance += waypoints[index - 1].coordinate.distanceMeters(
            to: waypoints[index].coordinate)
        }
        return 100 + 20 * sin(distance * (2 * .pi / 5000))
      }
    }
    var result: [Double] = []
    var next = 0
    for index in waypoints.indices {
      while next < known.count - 1, known[next] < index { next += 1 }
      let right = index > last ? last : known[next]
      let left = index < first ? first : known[known[next] > index ? max(0, next - 1) : next]
      let (a, b) = (
        waypoints[left].altitudeMetersAboveSeaLevel ?? 0,
        waypoints[right].altitudeMetersAboveSeaLevel ?? 0
      )
      let share = right > left ? Double(index - left) / Double(right - left) : 0
      result.append(a + (b - a) * min(1, max(0, share)))
    }
    return result
  }
}
