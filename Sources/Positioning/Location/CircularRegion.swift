// SPDX-License-Identifier: Apache-2.0

/// A circle on the ground, with a name.
///
/// Core Location's `CLCircularRegion` is an object, with a part of it in `CLRegion`. Differs in
/// that it is a value with its geometry in it, which can be stored, compared and tested anywhere.
public struct CircularRegion: Equatable, Hashable, Codable, Sendable {
  /// How many regions one manager monitors.
  ///
  /// Core Location monitors as many for one program, which its documentation says and no constant.
  public static let monitoringLimit = 20
  /// The largest radius that can be monitored, in metres.
  ///
  /// A circle beyond a quarter of the globe's girth is one around the other side.
  public static let maximumRadiusMeters = 10_000_000.0

  /// The name it is known by: a second region of one name replaces the first.
  ///
  /// As in Core Location.
  public var identifier: String
  /// The middle.
  ///
  /// As in Core Location.
  public var center: Coordinate
  /// How far from the middle the border is, in metres; above 0.
  ///
  /// As in Core Location: a region with one that is too large cannot be monitored.
  public var radiusMeters: Double
  /// Whether to tell when the board comes in.
  ///
  /// As in Core Location, and true at first as there.
  public var notifyOnEntry: Bool
  /// Whether to tell when the board goes out.
  ///
  /// As in Core Location, and true at first as there.
  public var notifyOnExit: Bool

  /// Makes a region.
  ///
  /// A radius that is not above 0 and finite makes a region that cannot be monitored.
  ///
  /// Core Location's `init(center:radius:identifier:)`. Differs in that it also takes what to tell
  /// of.
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

  /// Whether a coordinate is inside or on the border.
  ///
  /// As in Core Location, which does not say how it measures; here it is over the ellipsoid.
  ///
  /// - Parameter coordinate: The coordinate.
  /// - Returns: `false` also where the radius is none.
  public func contains(_ coordinate: Coordinate) -> Bool {
    center.distanceMeters(to: coordinate) <= radiusMeters
  }
}

/// Where the board is with regard to a region.
///
/// As in Core Location, by name and number.
public enum RegionState: Int, Hashable, Codable, Sendable, CaseIterable {
  /// Nobody knows yet.
  ///
  /// As in Core Location.
  case unknown = 0
  /// Inside.
  ///
  /// As in Core Location.
  case inside = 1
  /// Outside.
  ///
  /// As in Core Location.
  case outside = 2
}
