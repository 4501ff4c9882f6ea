// SPDX-License-Identifier: Apache-2.0

/// A position on the WGS 84 ellipsoid.
///
/// There is no "invalid" coordinate: whoever has no position has no `Coordinate`.
public struct Coordinate: Equatable, Hashable, Sendable {
  /// Geodetic latitude in degrees, north positive, -90 to 90.
  public let latitudeDegrees: Double

  /// Longitude in degrees, east positive, -180 to 180.
  public let longitudeDegrees: Double

  /// Makes a coordinate out of degrees that lie on the globe.
  ///
  /// Gives `nil` where the latitude is beyond ±90, the longitude beyond ±180, or either is not a
  /// number. Values are never wrapped or clamped: a receiver that says 91° said nothing.
  public init?(latitudeDegrees: Double, longitudeDegrees: Double) {
    guard abs(latitudeDegrees) <= 90, abs(longitudeDegrees) <= 180 else { return nil }
    self.latitudeDegrees = latitudeDegrees
    self.longitudeDegrees = longitudeDegrees
  }
}

extension Coordinate: Codable {
  private enum Key: String, CodingKey { case latitudeDegrees, longitudeDegrees }

  /// Reads a coordinate; one that is not on the globe is an error, as it is `nil` elsewhere.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError` where a degree is missing, no number, or beyond the globe.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let latitude = try values.decode(Double.self, forKey: .latitudeDegrees)
    let longitude = try values.decode(Double.self, forKey: .longitudeDegrees)
    guard let made = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
      throw DecodingError.dataCorruptedError(
        forKey: .latitudeDegrees, in: values,
        debugDescription: "\(latitude), \(longitude) is not on the globe")
    }
    self = made
  }

  /// Writes both degrees.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(latitudeDegrees, forKey: .latitudeDegrees)
    try values.encode(longitudeDegrees, forKey: .longitudeDegrees)
  }
}

extension Coordinate {
  /// The length of the shortest way over the WGS 84 ellipsoid to another coordinate.
  ///
  /// Right to a millimetre, over the poles and across the dateline too; within some 90 km of the
  /// antipode to 0.2 %. Height is not considered.
  ///
  /// - Parameter other: Where to.
  /// - Returns: Metres, 0 to 20,003,931.5; never unknown.
  public func distanceMeters(to other: Coordinate) -> Double {
    Ellipsoid.inverse(from: self, to: other).distanceMeters
  }

  /// The direction in which the shortest way to another coordinate begins.
  ///
  /// On a pole, directions count from the meridian of this coordinate's own longitude. Within some
  /// 90 km of the antipode the direction is the great circle's, which is not the shortest way's.
  ///
  /// - Parameter other: Where to.
  /// - Returns: Degrees from true north, 0 to below 360; `nil` where both are the same point (at
  ///   a pole: whatever their longitudes), since from there no direction leads to itself.
  public func initialBearingDegreesTrue(to other: Coordinate) -> Double? {
    let inverse = Ellipsoid.inverse(from: self, to: other)
    guard inverse.distanceMeters > 0 else { return nil }
    let degrees = inverse.bearingRadians * 180 / .pi
    guard degrees < 0 else { return degrees + 0 }  // Never minus zero.
    // The smallest negative angles round up to a whole turn.
    let turned = degrees + 360
    return turned < 360 ? turned : 0
  }

  /// Where one arrives after going a distance along the geodesic that begins in a direction.
  ///
  /// - Parameters:
  ///   - distanceMeters: How far; negative goes backward. May go round the globe.
  ///   - bearingDegreesTrue: Degrees from true north at this coordinate.
  /// - Returns: The coordinate, its longitude above -180 up to 180; `nil` only where a parameter
  ///   is infinite or not a number.
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
