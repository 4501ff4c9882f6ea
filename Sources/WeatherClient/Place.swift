// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A named spot near a coordinate: the articles' weather `Location`.
public struct Place: Equatable, Hashable, Sendable, Identifiable {
  /// The number that its gazetteer or provider knows it by.
  public var id: Int
  /// Its name.
  public var title: String
  /// Where it is.
  public var coordinate: Coordinate
  /// Its country, in two letters of ISO 3166.
  public var countryCode: String?
  /// Metres from the coordinate asked for to it.
  public var distanceMeters: Double?
  /// Degrees from true north, from the place to the coordinate asked for.
  public var bearingDegreesTrue: Double?

  /// Makes a place.
  ///
  /// - Parameters:
  ///   - id: The number it is known by.
  ///   - title: Its name.
  ///   - coordinate: Where it is.
  public init(id: Int, title: String, coordinate: Coordinate) {
    self.id = id
    self.title = title
    self.coordinate = coordinate
  }
}
