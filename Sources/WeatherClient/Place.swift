// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A named place, such as a town.
public struct Place: Equatable, Hashable, Sendable, Identifiable {
  /// The identifier that the gazetteer or the provider assigns to the place.
  public var id: Int
  /// The name of the place.
  public var title: String
  /// The coordinate of the place.
  public var coordinate: Coordinate
  /// The two-letter country code of ISO 3166.
  public var countryCode: String?
  /// The two-letter code of the state, such as `IL`; `nil` outside the United States.
  public var administrativeArea: String?
  /// The IANA time zone, such as `Europe/London`.
  public var timeZone: String?
  /// The number of inhabitants.
  public var population: Int?
  /// The distance in metres from the place to the searched coordinate.
  public var distanceMeters: Double?
  /// The initial bearing from the place to the searched coordinate, in degrees from true north.
  public var bearingDegreesTrue: Double?

  /// Creates a place whose other properties, such as distance and bearing, are `nil`.
  public init(id: Int, title: String, coordinate: Coordinate) {
    self.id = id
    self.title = title
    self.coordinate = coordinate
  }
}

extension Place {
  /// The state and the country after the title, such as `, IL, US`; empty if both are unknown.
  package var regionSuffix: String {
    [administrativeArea, countryCode].compactMap(\.self).map { ", " + $0 }.joined()
  }

  /// The distance up to which the name alone describes the searched coordinate: 25 km.
  public static let reachMeters = 25_000.0

  /// A description of the searched coordinate, for display.
  ///
  /// If the distance is `nil` or at most ``reachMeters``, the description is the name of the place.
  /// Otherwise the description also contains the distance, and the direction if the bearing is
  /// known, such as `623 km WSW of Horta`.
  ///
  /// The direction is the initial bearing from the place, rounded to one of 16 compass points.
  public var relativeTitle: String {
    relativeTitle { "\(Int(min($0 / 1000, 1e6).rounded())) km" }
  }

  /// Returns ``relativeTitle`` with the distance in other units.
  ///
  /// - Parameter distanceText: Formats a distance in metres.
  /// - Returns: The title.
  package func relativeTitle(distanceText: (Double) -> String) -> String {
    guard let distanceMeters, distanceMeters > Self.reachMeters else { return title }
    let distance = distanceText(distanceMeters)
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
