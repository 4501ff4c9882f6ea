// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A circle on the ground, with a name.
///
/// As Core Location's, which is a class. The geometry is in the value, so that a region can be stored, compared and tested anywhere.
public struct CircularRegion: Equatable, Hashable, Codable, Sendable {
  /// How many regions one manager monitors: as many as Core Location does for one program.
  public static let monitoringLimit = 20
  /// The largest radius that can be monitored, in metres.
  ///
  /// A circle beyond a quarter of the globe's girth is one around the other side.
  public static let maximumRadiusMeters = 10_000_000.0

  /// The name it is known by: a second region of one name replaces the first.
  public var identifier: String
  /// The middle.
  public var center: Coordinate
  /// How far from the middle the border is, in metres; above 0.
  public var radiusMeters: Double
  /// Whether to tell when the board comes in.
  public var notifyOnEntry: Bool
  /// Whether to tell when the board goes out.
  public var notifyOnExit: Bool

  /// Makes a region.
  ///
  /// A radius that is not above 0 and finite makes a region that cannot be monitored.
  ///
  /// - Parameters:
  ///   - center: The middle.
  ///   - radiusMeters: How far the border is.
  ///   - identifier: The name it is known by.
  ///   - notifyOnEntry: Whether to tell when the board comes in.
  ///   - notifyOnExit: Whether to tell when the board goes out.
  public init(
    center: Coordinate, radiusMeters: Double, identifier: String, notifyOnEntry: Bool = true,
    notifyOnExit: Bool = true
  ) {
    self.center = center
    self.radiusMeters = radiusMeters
    self.identifier = identifier
    self.notifyOnEntry = notifyOnEntry
    self.notifyOnExit = notifyOnExit
  }

  /// Whether a coordinate is inside or on the border, over the ellipsoid.
  ///
  /// - Parameter coordinate: The coordinate.
  /// - Returns: `false` also where the radius is none.
  public func contains(_ coordinate: Coordinate) -> Bool {
    center.distanceMeters(to: coordinate) <= radiusMeters
  }
}

/// Where the board is with regard to a region, with Core Location's names and numbers.
public enum RegionState: Int, Hashable, Codable, Sendable, CaseIterable {
  /// Nobody knows yet.
  case unknown = 0
  /// Inside.
  case inside = 1
  /// Outside.
  case outside = 2
}
