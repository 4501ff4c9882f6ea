// SPDX-License-Identifier: Apache-2.0

/// A stay at a place.
///
/// As `CLVisit` it is told of twice: when it has begun for certain, and when it is over. Differs in
/// that it is a value, and in that what is not known is `nil` and not a date far away.
public struct Visit: Equatable, Hashable, Codable, Sendable {
  /// When it began.
  ///
  /// Core Location's `arrivalDate`, a date in the distant past where it is unknown. Differs in that
  /// it is `nil` where the receiver did not know the time.
  public var arrival: UTCTime?
  /// When it ended.
  ///
  /// Core Location's `departureDate`, a date in the distant future where the visit goes on. Differs
  /// in that it is `nil` then, and where the receiver did not know the time: ``isFinished`` tells the
  /// two apart.
  public var departure: UTCTime?
  /// Whether it is over; tells a visit that goes on from one whose end has no known time.
  public var isFinished: Bool
  /// The middle of where the board was.
  ///
  /// As in Core Location, the middle of the visit. Here it is the mean of where the board was.
  public var coordinate: Coordinate
  /// How far in metres the board was from where it came in, at most.
  ///
  /// Core Location's `horizontalAccuracy` tells how exact the middle is. Differs in that it tells
  /// how far the stay reached, which is counted and not estimated.
  public var radiusMeters: Double

  /// Makes a visit.
  ///
  /// - Parameters:
  ///   - arrival: When it began.
  ///   - departure: When it ended.
  ///   - isFinished: Whether it is over.
  ///   - coordinate: The middle of where the board was.
  ///   - radiusMeters: Within how many metres of it.
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
