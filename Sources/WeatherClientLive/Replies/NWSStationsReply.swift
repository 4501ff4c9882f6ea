// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// The stations around a grid cell, the nearest first: features of GeoJSON.
struct NWSStationsReply: Decodable {
  struct Feature: Decodable {
    var geometry: Geometry?
    var properties: Properties?
  }

  /// Longitude first, as GeoJSON has it.
  struct Geometry: Decodable { var coordinates: [Double?]? }
  struct Properties: Decodable { var stationIdentifier: String? }

  var features: [Feature?]

  /// Farther off, the weather is another.
  private static let mostDistanceMeters: Double = 25_000

  /// The path of the newest observation near a place; `nil` where no station is near.
  func observationPath(near place: Coordinate?) -> String? {
    guard let place, let feature = features.lazy.compactMap({ $0 }).first,
      let name = feature.properties?.stationIdentifier, (1...8).contains(name.utf8.count),
      name.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }),
      let degrees = feature.geometry?.coordinates, degrees.count >= 2,
      let longitude = degrees[0], let latitude = degrees[1],
      let there = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude),
      there.distanceMeters(to: place) <= Self.mostDistanceMeters
    else { return nil }
    return "/stations/\(name)/observations/latest"
  }
}
