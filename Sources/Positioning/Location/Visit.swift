// SPDX-License-Identifier: Apache-2.0

/// A stay at a place.
///
/// As with `CLVisit`, the delegate receives a visit twice: when the arrival is certain, and after
/// the departure. Differs in that it is a value type, and in that an unknown time is `nil` and not
/// a distant date.
public struct Visit: Equatable, Hashable, Codable, Sendable {
  /// The UTC time of arrival.
  ///
  /// Core Location's `arrivalDate`, a date in the distant past if unknown. Differs in that it is
  /// `nil` if the receiver did not know the time.
  public var arrival: UTCTime?
  /// The UTC time of departure.
  ///
  /// Core Location's `departureDate`, a date in the distant future while the visit continues.
  /// Differs in that it is then `nil`. It is also `nil` if the receiver did not know the time; see
  /// ``isFinished``.
  public var departure: UTCTime?
  /// Whether the visit has ended.
  public var isFinished: Bool
  /// The mean position during the visit.
  ///
  /// Core Location's `coordinate`, the center of the visit.
  public var coordinate: Coordinate
  /// The maximum distance in metres from the first position of the visit.
  ///
  /// Core Location's `horizontalAccuracy` is the error of the center. Differs in that it is the
  /// measured extent of the visit.
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
