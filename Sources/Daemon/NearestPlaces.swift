// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient
internal import WeatherClientLive

/// The nearest places of a coordinate: a `PLACES` object.
enum NearestPlaces {
  /// The number of places.
  static let count = 12

  static func json(at coordinate: Coordinate, in gazetteer: Gazetteer = .geoNames) -> [UInt8] {
    var line = JSONLine()
    line.beginObject()
    line.constant("class", "PLACES")
    line.beginArray("places")
    for place in gazetteer.nearest(count, to: coordinate) {
      line.beginObject()
      line.integer("id", place.id)
      line.string("title", place.title)
      line.string("country", place.countryCode)
      line.decimal("lat", place.coordinate.latitudeDegrees, places: 4)
      line.decimal("lon", place.coordinate.longitudeDegrees, places: 4)
      line.decimal("distance", place.distanceMeters, places: 0)
      line.decimal("bearing", place.bearingDegreesTrue, places: 0)
      line.integer("population", place.population)
      line.endObject()
    }
    line.endArray()
    line.endObject()
    line.endLine()
    return line.bytes
  }
}
