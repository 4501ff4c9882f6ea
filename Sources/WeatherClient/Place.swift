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
  /// Its time zone, by the name that the IANA gave it: `Europe/London`.
  public var timeZone: String?
  /// How many people live there.
  public var population: Int?
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

extension Place {
  /// How far away a place still says where one is: 25 km.
  ///
  /// Beyond, it only says how far from it.
  public static let reachMeters = 25_000.0

  /// Where the coordinate asked for is, in words: `Greenwich`, or far from anywhere
  /// `623 km WSW of Horta`.
  ///
  /// The direction is the one in which the way from the place begins, to the nearest of sixteen.
  public var titleFromAfar: String {
    guard let distanceMeters, distanceMeters > Self.reachMeters else { return title }
    let distance = "\(Int(min(distanceMeters / 1000, 1e6).rounded())) km"
    guard let bearingDegreesTrue, let point = Self.compassPoint(bearingDegreesTrue) else {
      return "\(distance) from \(title)"
    }
    return "\(distance) \(point) of \(title)"
  }

  private static func compassPoint(_ degrees: Double) -> String? {
    let points = [
      "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW",
      "NNW",
    ]
    guard degrees >= 0, degrees <= 360 else { return nil }
    return points[Int((degrees / 22.5).rounded()) % points.count]
  }
}
