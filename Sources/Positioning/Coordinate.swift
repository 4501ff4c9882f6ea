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
