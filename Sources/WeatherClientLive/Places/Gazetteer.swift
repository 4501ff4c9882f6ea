// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

/// An offline gazetteer of the towns and villages of the world.
///
/// The data is from GeoNames (https://www.geonames.org, CC BY 4.0) and is embedded in the program:
/// 129,424 places. These are all places with at least 5000 inhabitants, and smaller places without
/// a larger selected place within 7 km. Coordinates are rounded to 0.0001 degrees, about 10 m.
/// Of the places with at least 50,000 inhabitants, 10,275 also have 111,450 alternate names.
public struct Gazetteer: Sendable {
  /// The gazetteer that is embedded in the program.
  public static let geoNames = Gazetteer(table: .embedded)

  /// The attribution that the licence of the data requires, for display.
  public static let attribution =
    "Places: GeoNames (https://www.geonames.org), CC BY 4.0, a selection of it"

  private let table: PlaceTable?

  init(table: PlaceTable?) { self.table = table }

  /// The number of places.
  public var count: Int { table?.count ?? 0 }

  /// Returns the place that best describes a coordinate.
  ///
  /// Prefers large places: from the distance of each place, 2 km are subtracted for each power of
  /// ten by which the population exceeds 500. The place with the smallest result is returned. For a
  /// coordinate in the centre of Brooklyn, this is Brooklyn instead of a neighbourhood whose centre
  /// is nearer. The search works across the 180th meridian and at the poles.
  ///
  /// - Parameters:
  ///   - coordinate: The coordinate.
  ///   - radiusMeters: The maximum distance of the place in metres, 0 or more.
  /// - Returns: The place with its distance in metres on the ellipsoid and the bearing from the
  ///   place to the coordinate, or `nil` if the selected place is outside the radius. With the
  ///   default radius the result may be hundreds of kilometres away, for example at sea.
  public func nearest(
    to coordinate: Coordinate, withinMeters radiusMeters: Double = .infinity
  ) -> Place? {
    guard let table else { return nil }
    var search = PlaceSearch(table, near: coordinate)
    guard let match = search.run(), match.distanceMeters <= radiusMeters else { return nil }
    return place(match, from: coordinate, of: table)
  }

  /// Returns the nearest places, whatever their population, the nearest first.
  ///
  /// - Parameters:
  ///   - count: The number of places.
  ///   - coordinate: The coordinate.
  /// - Returns: The places with their distance and bearing, as for ``nearest(to:withinMeters:)``.
  package func nearest(_ count: Int, to coordinate: Coordinate) -> [Place] {
    guard let table else { return [] }
    var search = PlaceSearch(table, near: coordinate, count: count, isWeighted: false)
    return search.all().compactMap { place($0, from: coordinate, of: table) }
  }

  /// Returns the place of ``nearest(to:withinMeters:)``, then the nearest other places by distance.
  ///
  /// - Parameters:
  ///   - coordinate: The coordinate.
  ///   - count: The number of places, 1 or more.
  /// - Returns: The places; empty if the gazetteer is empty.
  func places(near coordinate: Coordinate, count: Int = 5) -> [Place] {
    guard let best = nearest(to: coordinate) else { return [] }
    let others = nearest(count, to: coordinate).filter { $0.id != best.id }
    return [best] + others.prefix(count - 1)
  }

  private func place(
    _ match: PlaceSearch.Match, from coordinate: Coordinate, of table: PlaceTable
  ) -> Place? {
    var place = place(match.index, at: match.coordinate, of: table)
    place?.distanceMeters = match.distanceMeters
    place?.bearingDegreesTrue = match.coordinate.initialBearingDegreesTrue(to: coordinate)
    return place
  }

  /// Returns the place with a GeoNames identifier.
  ///
  /// - Parameter id: The GeoNames identifier.
  /// - Returns: The place without distance and bearing, or `nil` if there is no such place.
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

  /// Returns the places with a name: the chosen one first, then the others by population.
  ///
  /// Upper and lower case, accents and hyphens make no difference. If no place has the name, the
  /// result contains the places with a name that begins with it.
  ///
  /// To choose the first place, the population of a place found by an alternate name is divided by
  /// 20, but limited to 15,000 or a hundredth, whichever is larger. So `Cologne` is Köln and not the
  /// small town in Italy, but `Cancún` is not Changchun.
  ///
  /// - Parameters:
  ///   - name: The name; shorter names than three letters must match completely.
  ///   - regions: Names or codes of countries and states of the United States; the places are in
  ///     all of them.
  ///   - limit: The maximum number of places in the result.
  /// - Returns: The places, and whether their names are equal to the searched name.
  package func places(
    named name: String, in regions: [String] = [], limit: Int = 5
  ) -> PlaceNameMatches {
    guard let table else { return PlaceNameMatches() }
    let search = PlaceNameSearch(table)
    let (found, isExact) = search.places(named: name)
    let zones = regions.map(search.zones(in:))
    var candidates: [(index: Int, record: PlaceRecord, rank: Int)] = []
    for (index, isAlternate) in found {
      guard let record = table.record(index), zones.allSatisfy({ $0.contains(record.zone) })
      else { continue }
      let people = record.population
      let alternateRank = max(people / 100, min(people / 20, 15_000))
      candidates.append((index, record, isAlternate ? alternateRank : people))
    }
    candidates.sort { ($1.record.population, $0.index) < ($0.record.population, $1.index) }
    var matches = PlaceNameMatches()
    (matches.isExact, matches.count) = (isExact, candidates.count)
    if let best = candidates.indices.max(by: { candidates[$0].rank < candidates[$1].rank }) {
      matches.isMostPopulous = best == 0
      candidates.insert(candidates.remove(at: best), at: 0)
    }
    for (index, record, _) in candidates.prefix(limit) {
      let band = (0..<180).first { table.places(inBand: $0).contains(index) }
      guard let coordinate = band.flatMap({ record.coordinate(inBand: $0) }),
        let place = place(index, at: coordinate, of: table)
      else { continue }
      matches.places.append(place)
    }
    return matches
  }

  private func place(_ index: Int, at coordinate: Coordinate, of table: PlaceTable) -> Place? {
    guard let record = table.record(index) else { return nil }
    var place = Place(id: record.id, title: table.name(index), coordinate: coordinate)
    let zone = table.zone(record.zone)
    place.countryCode = zone?.region.country
    place.administrativeArea = zone?.region.state
    place.timeZone = zone?.timeZone
    place.population = record.population > 0 ? record.population : nil
    return place
  }
}
