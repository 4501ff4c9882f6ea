// SPDX-License-Identifier: Apache-2.0

/// A circular geographic region with an identifier.
///
/// Corresponds to `CLCircularRegion`, a class that inherits from `CLRegion`. Differs from Core
/// Location: this is a single value type, which can be stored and compared.
public struct CircularRegion: Equatable, Hashable, Codable, Sendable {
  /// The maximum number of regions that one manager monitors.
  ///
  /// Core Location has the same limit for each program, but documents it without defining a
  /// constant.
  public static let monitoringLimit = 20
  /// The maximum radius that can be monitored, in metres.
  ///
  /// A larger circle, of more than a quarter of the Earth's circumference, would enclose more than
  /// a hemisphere.
  public static let maximumRadiusMeters = 10_000_000.0

  /// The identifier; monitoring a region replaces a monitored region of the same identifier.
  ///
  /// As in Core Location.
  public var identifier: String
  /// The center.
  ///
  /// As in Core Location.
  public var center: Coordinate
  /// The radius in metres, above 0.
  ///
  /// As in Core Location, a region whose radius is too large cannot be monitored.
  public var radiusMeters: Double
  /// Whether to notify when the board enters the region.
  ///
  /// As in Core Location, the default is true.
  public var notifyOnEntry: Bool
  /// Whether to notify when the board leaves the region.
  ///
  /// As in Core Location, the default is true.
  public var notifyOnExit: Bool

  /// Makes a region.
  ///
  /// A region whose radius is not finite or not above 0 cannot be monitored.
  ///
  /// Corresponds to `CLCircularRegion.init(center:radius:identifier:)`. Differs from Core Location:
  /// the initializer also has parameters for the notification flags.
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

  /// Returns whether a coordinate is inside the region or on its border.
  ///
  /// As in Core Location. The distance is measured on the ellipsoid; Core Location does not
  /// document its model. Returns false if the radius is negative or not a number.
  public func contains(_ coordinate: Coordinate) -> Bool {
    center.distanceMeters(to: coordinate) <= radiusMeters
  }
}

/// The state of the board relative to a region.
///
/// Corresponds to `CLRegionState`, with the same names and numbers.
public enum RegionState: Int, Hashable, Codable, Sendable, CaseIterable {
  /// Not determined yet.
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
