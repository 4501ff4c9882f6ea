// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

/// Towns and villages of the whole world, without a network: what is near a coordinate.
///
/// The data is GeoNames' (https://www.geonames.org, CC BY 4.0), in the program itself: 129,424
/// places, all that have 5000 inhabitants and smaller ones where no other is within 7 km. Places are
/// right to a ten-thousandth of a degree, some 10 m.
public struct Gazetteer: Sendable {
  /// The gazetteer in the program.
  public static let geoNames = Gazetteer(table: .embedded)

  /// Whom the licence of the data wants named, in words for people.
  public static let attribution =
    "Places: GeoNames (https://www.geonames.org), CC BY 4.0, a selection of it"

  private let table: PlaceTable?

  init(table: PlaceTable?) { self.table = table }

  /// How many places it knows.
  public var count: Int { table?.count ?? 0 }

  /// The place that a coordinate is at or away from.
  ///
  /// The nearest, where size counts as nearness: 2 km for each power of ten of inhabitants above
  /// 500. So the middle of Brooklyn is Brooklyn and not the quarter whose own middle happens to be
  /// nearer. Right across the dateline and at the poles.
  ///
  /// - Parameters:
  ///   - coordinate: Where.
  ///   - radiusMeters: How far away the place may be; 0 or more.
  /// - Returns: The place, with its distance in metres over the ellipsoid and the direction from it
  ///   to the coordinate; `nil` where none is within the radius. By default there always is one: at
  ///   sea it is far, and its distance says so.
  public func nearest(
    to coordinate: Coordinate, withinMeters radiusMeters: Double = .infinity
  ) -> Place? {
    guard let table else { return nil }
    var search = PlaceSearch(table, near: coordinate)
    guard let found = search.run(), found.distanceMeters <= radiusMeters else { return nil }
    var place = place(found.index, at: found.coordinate, of: table)
    place?.distanceMeters = found.distanceMeters
    place?.bearingDegreesTrue = found.coordinate.initialBearingDegreesTrue(to: coordinate)
    return place
  }

  /// The place of a number.
  ///
  /// - Parameter id: GeoNames' number.
  /// - Returns: The place, without distance and direction; `nil` where it is not known.
  public func place(id: Place.ID) -> Place? {
    guard let table else { return nil }
    for band in 0..<180 {
      for index in table.places(inBand: band) {
        guard let record = table.record(index), record.id == id else { continue }
        return record.coordinate(inBand: band).flatMap { place(index, at: $0, of: table) }
      }
    }
    return nil
  }

  private func place(_ index: Int, at coordinate: Coordinate, of table: PlaceTable) -> Place? {
    guard let record = table.record(index) else { return nil }
    var place = Place(id: record.id, title: table.name(index), coordinate: coordinate)
    let zone = table.zone(record.zone)
    place.countryCode = zone?.country
    place.timeZone = zone?.timeZone
    place.population = record.population > 0 ? record.population : nil
    return place
  }
}
