// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A stay at a place: told once when it has begun for certain, and once when it is over.
public struct Visit: Equatable, Hashable, Codable, Sendable {
  /// When it began; `nil` where the receiver did not know the time.
  ///
  /// Core Location has a date in the distant past for that.
  public var arrival: UTCTime?
  /// When it ended; `nil` where it goes on.
  ///
  /// Core Location has a date in the distant future for that.
  public var departure: UTCTime?
  /// Whether it is over; tells a visit that goes on from one whose end has no known time.
  public var isOver: Bool
  /// The middle of where the board was.
  public var coordinate: Coordinate
  /// The radius around it in metres, within which the board stayed.
  ///
  /// Core Location has an accuracy there, whose confidence it does not say.
  public var radiusMeters: Double

  /// Makes a visit.
  ///
  /// - Parameters:
  ///   - arrival: When it began.
  ///   - departure: When it ended.
  ///   - isOver: Whether it is over.
  ///   - coordinate: The middle of where the board was.
  ///   - radiusMeters: Within how many metres of it.
  public init(
    arrival: UTCTime?, departure: UTCTime? = nil, isOver: Bool, coordinate: Coordinate,
    radiusMeters: Double
  ) {
    self.arrival = arrival
    self.departure = departure
    self.isOver = isOver
    self.coordinate = coordinate
    self.radiusMeters = radiusMeters
  }
}
