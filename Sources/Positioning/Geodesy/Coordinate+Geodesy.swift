// SPDX-License-Identifier: Apache-2.0

extension Coordinate {
  /// The length of the shortest way over the WGS 84 ellipsoid to another coordinate.
  ///
  /// Right to some nanometres everywhere: over the poles, across the dateline, between antipodes.
  /// Height is not considered.
  ///
  /// - Parameter other: Where to.
  /// - Returns: Metres, 0 to 20,003,931.5; never unknown.
  public func distanceMeters(to other: Coordinate) -> Double {
    GeodesicInverse(from: self, to: other).distanceMeters
  }

  /// The direction in which the shortest way to another coordinate begins.
  ///
  /// On a pole, directions count from the meridian of this coordinate's own longitude. Between
  /// exact antipodes several ways are shortest; this is one of them.
  ///
  /// - Parameter other: Where to.
  /// - Returns: Degrees from true north, 0 to below 360; `nil` where both are the same point (at
  ///   a pole: whatever their longitudes), since from there no direction leads to itself.
  public func initialBearingDegreesTrue(to other: Coordinate) -> Double? {
    let inverse = GeodesicInverse(from: self, to: other)
    guard inverse.distanceMeters > 0 else { return nil }
    let degrees = inverse.azimuth.degrees
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
    let (latitude, longitude) = GeodesicDirect.solve(
      from: self, azimuthDegrees: bearingDegreesTrue, distanceMeters: distanceMeters)
    let wrapped = longitude.remainder(dividingBy: 360)
    return Coordinate(
      latitudeDegrees: latitude, longitudeDegrees: wrapped == -180 ? 180 : wrapped)
  }
}
