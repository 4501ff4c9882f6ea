// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import Receivers
internal import SystemSupport

/// The motion of a vehicle on a route: position and velocity as a function of time.
///
/// The vehicle rounds corners: its position is the mean over a section of the route around a point
/// that moves at constant speed. The velocity is the exact derivative of the position, so the
/// vehicle slows down in corners.
struct RouteDrive: Sendable {
  /// The true state at one time, in metres and metres per second.
  struct State {
    var coordinate: Coordinate
    var altitude: Double
    var speed: Double
    /// The course in degrees; `nil` while standing.
    var course: Double?
    var climb: Double
  }

  private let track: RouteTrack
  private let speed: Double
  /// The length in metres of the section over which the position is averaged.
  private let window: Double

  /// The duration of a corner in seconds.
  private static let cornerSeconds = 4.0
  /// The speed in metres per second below which there is no course.
  static let standingSpeed = 0.1

  init(route: SimulatedRoute, speedMetersPerSecond speed: Double) {
    track = RouteTrack(route)
    self.speed = track.length > 0 ? speed : 0
    window = min(max(10, speed * Self.cornerSeconds), track.length / 4)
  }

  func state(afterSeconds seconds: Double) -> State? {
    let center = speed * seconds
    guard window > 0 else {
      let place = track.place(at: 0)
      return place.position.coordinate.map {
        State(coordinate: $0, altitude: place.altitude, speed: 0, course: nil, climb: 0)
      }
    }
    let (low, high) = (center - window / 2, center + window / 2)
    var sum = EarthVector()
    var altitudeSum = 0.0
    var cursor = low
    // Legs have a minimum length, and each corner may add a piece.
    let maxPieces = Int(window / RouteTrack.minWaypointSpacing) * 2 + 8
    for _ in 0..<maxPieces where cursor < high {
      let end = min(high, max(cursor + 0.001, track.place(at: cursor).legEnd))
      let middle = track.place(at: (cursor + end) / 2)
      sum = sum + middle.position * (end - cursor)
      altitudeSum += middle.altitude * (end - cursor)
      cursor = end
    }
    let covered = cursor - low
    guard covered > 0, let coordinate = (sum * (1 / covered)).coordinate else { return nil }
    let (first, last) = (track.place(at: low), track.place(at: high))
    let perSecond = speed / window
    let velocity = (last.position - first.position) * perSecond
    let frame = EarthVector.LocalFrame(at: coordinate)
    let (east, north) = (velocity.dot(frame.east), velocity.dot(frame.north))
    let overGround = (east * east + north * north).squareRoot()
    return State(
      coordinate: coordinate, altitude: altitudeSum / covered, speed: overGround,
      course: overGround < Self.standingSpeed
        ? nil : EarthVector.bearingDegrees(east: east, north: north),
      climb: (last.altitude - first.altitude) * perSecond)
  }
}
