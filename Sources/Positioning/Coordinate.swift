// SPDX-License-Identifier: Apache-2.0

/// A position on the WGS 84 ellipsoid.
///
/// There is no invalid coordinate: an unknown position is a `nil` `Coordinate`.
public struct Coordinate: Equatable, Hashable, Sendable {
  /// Geodetic latitude in degrees, north positive, -90 to 90.
  public let latitudeDegrees: Double

  /// Longitude in degrees, east positive, -180 to 180.
  public let longitudeDegrees: Double

  /// Makes a coordinate from degrees.
  ///
  /// Returns `nil` if the latitude is beyond ±90, the longitude is beyond ±180, or either is not a
  /// number. Values are never wrapped or clamped.
  public init?(latitudeDegrees: Double, longitudeDegrees: Double) {
    guard abs(latitudeDegrees) <= 90, abs(longitudeDegrees) <= 180 else { return nil }
    self.latitudeDegrees = latitudeDegrees
    self.longitudeDegrees = longitudeDegrees
  }
}

extension Coordinate: Codable {
  private enum Key: String, CodingKey { case latitudeDegrees, longitudeDegrees }

  /// Decodes a coordinate.
  ///
  /// - Throws: `DecodingError` if a value is missing, not a number or out of range.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let latitude = try values.decode(Double.self, forKey: .latitudeDegrees)
    let longitude = try values.decode(Double.self, forKey: .longitudeDegrees)
    guard let made = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
      throw DecodingError.dataCorruptedError(
        forKey: .latitudeDegrees, in: values,
        debugDescription: "\(latitude), \(longitude) is out of range")
    }
    self = made
  }

  /// Encodes the coordinate.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(latitudeDegrees, forKey: .latitudeDegrees)
    try values.encode(longitudeDegrees, forKey: .longitudeDegrees)
  }
}

extension Coordinate {
  /// Returns the geodesic distance to another coordinate on the WGS 84 ellipsoid.
  ///
  /// Accurate to a millimetre, also over the poles and across the date line; within about 90 km of
  /// the antipode accurate to 0.2 %. Heights are ignored.
  ///
  /// - Parameter other: The other coordinate.
  /// - Returns: The distance in metres, 0 to 20,003,931.5.
  public func distanceMeters(to other: Coordinate) -> Double {
    Ellipsoid.inverse(from: self, to: other).distanceMeters
  }

  /// Returns the bearing at which the geodesic to another coordinate starts.
  ///
  /// At a pole, the bearing is relative to the meridian of this coordinate's longitude. Within
  /// about 90 km of the antipode the bearing of the great circle is returned, which differs from
  /// the bearing of the geodesic.
  ///
  /// - Parameter other: The other coordinate.
  /// - Returns: Degrees from true north, 0 to below 360; `nil` if the coordinates are the same
  ///   point. At a pole, coordinates of different longitudes are the same point.
  public func initialBearingDegreesTrue(to other: Coordinate) -> Double? {
    let inverse = Ellipsoid.inverse(from: self, to: other)
    guard inverse.distanceMeters > 0 else { return nil }
    let degrees = inverse.bearingRadians * 180 / .pi
    guard degrees < 0 else { return degrees + 0 }  // Never minus zero.
    // The smallest negative angles round up to a whole turn.
    let turned = degrees + 360
    return turned < 360 ? turned : 0
  }

  /// Returns the coordinate at a distance along the geodesic that starts at a bearing.
  ///
  /// - Parameters:
  ///   - distanceMeters: The distance in metres; negative goes backward. May exceed the
  ///     circumference of the Earth.
  ///   - bearingDegreesTrue: Degrees from true north at this coordinate.
  /// - Returns: The coordinate, with a longitude above -180 up to 180; `nil` only if a parameter is
  ///   infinite or not a number.
  public func destination(distanceMeters: Double, bearingDegreesTrue: Double) -> Coordinate? {
    guard distanceMeters.isFinite, bearingDegreesTrue.isFinite else { return nil }
    let (latitude, longitude) = Ellipsoid.direct(
      from: self, bearingRadians: bearingDegreesTrue.remainder(dividingBy: 360) * .pi / 180,
      distanceMeters: distanceMeters)
    let wrapped = longitude.remainder(dividingBy: 360)
    return Coordinate(
      latitudeDegrees: latitude, longitudeDegrees: wrapped == -180 ? 180 : wrapped)
  }
}
