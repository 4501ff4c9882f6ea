// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning

/// A point or a direction in the Earth-centered, Earth-fixed frame, in metres.
///
/// Positions of a route are averaged in this frame, because it has no singularity at the poles or
/// at the date line.
struct EarthVector: Equatable {
  var x = 0.0
  var y = 0.0
  var z = 0.0

  /// Unit vectors to the east, to the north and upwards at a coordinate.
  struct LocalFrame {
    var east: EarthVector
    var north: EarthVector
    var up: EarthVector

    init(at place: Coordinate) {
      let (latitude, longitude) = EarthVector.radians(place)
      let (sinLat, cosLat) = (sin(latitude), cos(latitude))
      let (sinLon, cosLon) = (sin(longitude), cos(longitude))
      east = EarthVector(x: -sinLon, y: cosLon, z: 0)
      north = EarthVector(x: -sinLat * cosLon, y: -sinLat * sinLon, z: cosLat)
      up = EarthVector(x: cosLat * cosLon, y: cosLat * sinLon, z: sinLat)
    }
  }

  private static let equatorialRadius = 6_378_137.0
  private static let eccentricitySquared: Double = {
    let flattening = 1 / 298.257223563
    return flattening * (2 - flattening)
  }()

  init(x: Double = 0, y: Double = 0, z: Double = 0) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// Makes the point on the ellipsoid at a coordinate.
  init(_ place: Coordinate) {
    let (latitude, longitude) = Self.radians(place)
    let sine = sin(latitude)
    let radius = Self.equatorialRadius / (1 - Self.eccentricitySquared * sine * sine).squareRoot()
    x = radius * cos(latitude) * cos(longitude)
    y = radius * cos(latitude) * sin(longitude)
    z = radius * (1 - Self.eccentricitySquared) * sine
  }

  /// The coordinate of a point near the surface, without its height.
  var coordinate: Coordinate? {
    // Bowring's formula is accurate to a nanometre for heights of some kilometres.
    let axisRatio = (1 - Self.eccentricitySquared).squareRoot()
    let fromAxis = hypot(x, y)
    let reduced = atan2(z, axisRatio * fromAxis)
    let (s, c) = (sin(reduced), cos(reduced))
    let second = Self.eccentricitySquared / (1 - Self.eccentricitySquared)
    let latitude = atan2(
      z + second * Self.equatorialRadius * axisRatio * s * s * s,
      fromAxis - Self.eccentricitySquared * Self.equatorialRadius * c * c * c)
    return Coordinate(
      latitudeDegrees: max(-90, min(90, latitude * (180 / .pi))),
      longitudeDegrees: max(-180, min(180, atan2(y, x) * (180 / .pi))))
  }

  var length: Double { (x * x + y * y + z * z).squareRoot() }

  func dot(_ other: EarthVector) -> Double { x * other.x + y * other.y + z * other.z }

  static func + (left: EarthVector, right: EarthVector) -> EarthVector {
    EarthVector(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
  }

  static func - (left: EarthVector, right: EarthVector) -> EarthVector {
    EarthVector(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
  }

  static func * (left: EarthVector, factor: Double) -> EarthVector {
    EarthVector(x: left.x * factor, y: left.y * factor, z: left.z * factor)
  }

  /// Returns a bearing in degrees clockwise from north, 0 to below 360.
  static func bearingDegrees(east: Double, north: Double) -> Double {
    let degrees = atan2(east, north) * (180 / .pi)
    let positive = degrees < 0 ? degrees + 360 : degrees
    return positive < 360 ? positive : 0
  }

  private static func radians(_ place: Coordinate) -> (latitude: Double, longitude: Double) {
    (place.latitudeDegrees * (.pi / 180), place.longitudeDegrees * (.pi / 180))
  }
}
