// SPDX-License-Identifier: Apache-2.0

/// A stay at a place.
///
/// As in Core Location, the delegate receives a visit twice: when the arrival is certain, and after
/// the departure. Differs from Core Location: this is a value type, and an unknown time is `nil`,
/// not a distant date.
public struct Visit: Equatable, Hashable, Codable, Sendable {
  /// The UTC time of arrival.
  ///
  /// Corresponds to `CLVisit.arrivalDate`. Differs from Core Location: `nil` if the receiver did
  /// not know the time.
  public var arrival: UTCTime?
  /// The UTC time of departure.
  ///
  /// Corresponds to `CLVisit.departureDate`. Differs from Core Location: `nil` while the visit
  /// continues, and also if the receiver did not know the time; see ``isFinished``.
  public var departure: UTCTime?
  /// Whether the visit has ended.
  public var isFinished: Bool
  /// The mean position during the visit.
  ///
  /// Corresponds to `CLVisit.coordinate`, the center of the visit.
  public var coordinate: Coordinate
  /// The maximum distance in metres from the first position of the visit.
  ///
  /// Corresponds to `CLVisit.horizontalAccuracy`, which is the error of the center. Differs from
  /// Core Location: the value is the measured extent of the visit.
  public var radiusMeters: Double

  /// Makes a visit.
  public init(
    arrival: UTCTime?, departure: UTCTime? = nil, isFinished: Bool, coordinate: Coordinate,
    radiusMeters: Double
  ) {
    self.arrival = arrival
    self.departure = departure
    self.isFinished = isFinished
    self.coordinate = coordinate
    self.radiusMeters = radiusMeters
  }
}
