// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Gazetteer")
struct GazetteerTests {
  struct KnownPoint: CustomTestStringConvertible, Sendable {
    let name: String
    let latitude: Double
    let longitude: Double
    let title: String
    let country: String
    var isFar = false
    var testDescription: String { name }
  }

  /// Well-known points with the expected place, and remote points with the best-scoring place.
  static let knownPoints: [KnownPoint] = [
    KnownPoint(
      name: "the Royal Observatory", latitude: 51.4769, longitude: -0.0005, title: "Greenwich",
      country: "GB"),
    KnownPoint(
      name: "Prospect Heights", latitude: 40.678, longitude: -73.944, title: "Brooklyn",
      country: "US"),
    KnownPoint(
      name: "City Hall, New York", latitude: 40.7128, longitude: -74.006, title: "New York City",
      country: "US"),
    KnownPoint(
      name: "Charing Cross", latitude: 51.5081, longitude: -0.1248, title: "London", country: "GB"),
    KnownPoint(
      name: "Notre-Dame", latitude: 48.853, longitude: 2.3499, title: "Paris", country: "FR"),
    KnownPoint(
      name: "the Brandenburg Gate", latitude: 52.5163, longitude: 13.3777, title: "Berlin",
      country: "DE"),
    KnownPoint(
      name: "Sydney's Opera House", latitude: -33.8568, longitude: 151.2153, title: "Sydney",
      country: "AU"),
    KnownPoint(
      name: "Tokyo's city hall", latitude: 35.6896, longitude: 139.6917, title: "Tokyo",
      country: "JP"),
    KnownPoint(
      name: "the Obelisk of Buenos Aires", latitude: -34.6037, longitude: -58.3816,
      title: "Buenos Aires", country: "AR"),
    KnownPoint(
      name: "Table Mountain's station", latitude: -33.9575, longitude: 18.4031,
      title: "Cape Town", country: "ZA"),
    KnownPoint(
      name: "Reykjavik's church", latitude: 64.142, longitude: -21.9266, title: "Reykjavík",
      country: "IS"),
    KnownPoint(
      name: "Ushuaia's harbour", latitude: -54.808, longitude: -68.305, title: "Ushuaia",
      country: "AR"),
    KnownPoint(
      name: "Longyearbyen's airport", latitude: 78.2461, longitude: 15.4656,
      title: "Longyearbyen", country: "SJ"),
    KnownPoint(
      name: "Suva's wharf", latitude: -18.1336, longitude: 178.4244, title: "Suva", country: "FJ"),
    KnownPoint(
      name: "west of the dateline off Taveuni", latitude: -16.8, longitude: 179.95,
      title: "Savusavu", country: "FJ", isFar: true),
    KnownPoint(
      name: "east of the dateline off Taveuni", latitude: -16.8, longitude: -179.95,
      title: "Savusavu", country: "FJ", isFar: true),
    KnownPoint(
      name: "the middle of the Atlantic", latitude: 30, longitude: -40, title: "Lajes das Flores",
      country: "PT", isFar: true),
    KnownPoint(
      name: "nearly the north pole", latitude: 89.9, longitude: 0, title: "Longyearbyen",
      country: "SJ", isFar: true),
    KnownPoint(
      name: "the south pole", latitude: -90, longitude: 0, title: "Puerto Williams", country: "CL",
      isFar: true),
    KnownPoint(
      name: "Point Nemo", latitude: -48.8767, longitude: -123.3933, title: "Hanga Roa",
      country: "CL", isFar: true),
    KnownPoint(
      name: "null island", latitude: 0, longitude: 0, title: "Takoradi", country: "GH",
      isFar: true),
  ]

  @Test(arguments: knownPoints)
  func `the gazetteer finds the expected place for a known point`(_ point: KnownPoint) throws {
    let coordinate = Coordinate.at(point.latitude, point.longitude)
    let place = try #require(Gazetteer.geoNames.nearest(to: coordinate))
    let distance = try #require(place.distanceMeters)
    #expect(place.title == point.title)
    #expect(place.countryCode == point.country)
    #expect((distance > Place.reachMeters) == point.isFar)
    #expect(distance == coordinate.distanceMeters(to: place.coordinate))
    #expect(place.bearingDegreesTrue == place.coordinate.initialBearingDegreesTrue(to: coordinate))
    #expect(Gazetteer.geoNames.place(id: place.id)?.coordinate == place.coordinate)
  }

  @Test func `the title of a gazetteer match beyond 25 km contains distance and direction`() throws {
    func title(_ latitude: Double, _ longitude: Double) -> String? {
      Gazetteer.geoNames.nearest(to: .at(latitude, longitude))?.relativeTitle
    }
    #expect(title(51.4769, -0.0005) == "Greenwich")
    // The same place is nearest to two points on different sides of the 180th meridian.
    #expect(title(-16.8, 179.95) == "66 km E of Savusavu")
    #expect(title(-16.8, -179.95) == "76 km E of Savusavu")
    #expect(title(0, 180) == title(0, -180))
    #expect(title(30, -40) == "1316 km SW of Lajes das Flores")
    #expect(title(89.9, 0) == "1304 km N of Longyearbyen")
    // At a pole, the result does not depend on the longitude.
    #expect(Set([-180, -90, 0, 33.3, 180].map { title(90, $0) }).count == 1)
    #expect(Set([-180, -90, 0, 33.3, 180].map { title(-90, $0) }).count == 1)
  }

  @Test func `the gazetteer search returns nil if the place is outside the radius`() throws {
    let coordinate = Coordinate.at(51.4769, -0.0005)
    let distance = try #require(Gazetteer.geoNames.nearest(to: coordinate)?.distanceMeters)
    #expect(
      Gazetteer.geoNames.nearest(to: coordinate, withinMeters: distance)?.title == "Greenwich")
    #expect(Gazetteer.geoNames.nearest(to: coordinate, withinMeters: distance.nextDown) == nil)
    #expect(Gazetteer.geoNames.nearest(to: .at(30, -40), withinMeters: 100_000) == nil)
    #expect(Gazetteer.geoNames.nearest(to: coordinate, withinMeters: .nan) == nil)
  }

  @Test func `a gazetteer lookup by id returns all properties of the place, or nil for an unknown id`() throws {
    let place = try #require(Gazetteer.geoNames.place(id: 5_110_302))
    #expect(place.title == "Brooklyn")
    #expect(place.coordinate == .at(40.6501, -73.9496))
    #expect(place.countryCode == "US")
    #expect(place.timeZone == "America/New_York")
    #expect(place.population == 2_736_074)
    #expect(place.distanceMeters == nil)
    #expect(Gazetteer.geoNames.place(id: 3_413_829)?.title == "Reykjav\u{ED}k")
    #expect(Gazetteer.geoNames.place(id: 0) == nil)
    #expect(Gazetteer.geoNames.place(id: -1) == nil)
    #expect(Gazetteer.geoNames.place(id: .max) == nil)
  }

  @Test func `every place of the gazetteer has a coordinate, a name, a country and a time zone`() throws {
    let table = try #require(PlaceTable.embedded)
    #expect(table.count == 129_424)
    var inBands = 0
    var flaws: [Int] = []
    for band in 0..<180 {
      for index in table.places(inBand: band) {
        inBands += 1
        guard let record = table.record(index), record.coordinate(inBand: band) != nil else {
          flaws.append(index)
          continue
        }
        // Names and zones are slow to read, so check only those of every ninth place.
        guard index % 9 == 0 else { continue }
        let name = table.name(index)
        let zone = table.zone(record.zone)
        if name.isEmpty || name.contains("\u{FFFD}") || zone?.region.country.utf8.count != 2
          || zone?.timeZone.contains("/") != true
        {
          flaws.append(index)
        }
      }
    }
    #expect(inBands == table.count)
    #expect(flaws == [])
  }

  @Test func `only places with at least 50,000 inhabitants have alternate names`() throws {
    let table = try #require(PlaceTable.embedded)
    var (names, places): (Int, Set<Int>) = (0, [])
    table.forEachAlternateName(beginningWith: []) { index, _ in
      names += 1
      places.insert(index)
    }
    #expect(names == 111_450 && places.count == 10_275)
    #expect(places.allSatisfy { table.record($0)?.population ?? 0 >= 50_000 })
  }
}
