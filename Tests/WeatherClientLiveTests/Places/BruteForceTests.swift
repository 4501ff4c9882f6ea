// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Compares the search with the results of the exhaustive search in `brute_force.py`, which are in
/// `nearest.txt`.
@Suite("Gazetteer search")
struct BruteForceTests {
  private struct ExpectedPlace {
    let id: Int
    let meters: Double
  }

  private static func expectedPlaces() throws -> [ExpectedPlace] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "nearest.txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
      let parts = line.split(separator: " ")
      return ExpectedPlace(
        id: try #require(Int(parts[0])), meters: try #require(parts.last.flatMap { Double($0) }))
    }
  }

  private static func randomUnit(_ random: inout SeededGenerator) -> Double {
    Double(random.next() >> 11) * 0x1p-53
  }

  /// Returns the same points as `brute_force.py`: half anywhere on the globe, half near a place.
  private static func points(_ count: Int, near table: PlaceTable) throws -> [Coordinate] {
    var random = SeededGenerator(seed: 20_000)
    var places: [Coordinate?] = []
    for band in 0..<180 {
      places += table.places(inBand: band).map { table.record($0)?.coordinate(inBand: band) }
    }
    return try (0..<count).map { number in
      guard number % 2 == 1 else {
        let latitude = asin(2 * randomUnit(&random) - 1) * 180 / .pi
        return .at(latitude, 360 * randomUnit(&random) - 180)
      }
      let place = try #require(places[Int(random.next() % UInt64(table.count))])
      let latitude = place.latitudeDegrees + 0.6 * randomUnit(&random) - 0.3
      let longitude = place.longitudeDegrees + 0.6 * randomUnit(&random) - 0.3
      let correction: Double = longitude > 180 ? -360 : longitude < -180 ? 360 : 0
      return .at(min(max(latitude, -90), 90), longitude + correction)
    }
  }

  @Test func `the gazetteer search finds the same places as an exhaustive search at 10,000 points`() throws {
    let table = try #require(PlaceTable.embedded)
    let expectedPlaces = try Self.expectedPlaces()
    #expect(expectedPlaces.count == 10_000)
    let points = try Self.points(expectedPlaces.count, near: table)
    var mismatches: [String] = []
    var visited = 0
    for (point, expected) in zip(points, expectedPlaces) {
      var search = PlaceSearch(table, near: point)
      guard let result = search.run() else {
        mismatches.append("\(point): nothing")
        continue
      }
      visited = max(visited, search.visited)
      let id = table.record(result.index)?.id
      if id != expected.id || abs(result.distanceMeters - expected.meters) > 0.06 {
        mismatches.append("\(point): \(id ?? 0) at \(result.distanceMeters), not \(expected)")
      }
    }
    #expect(mismatches == [])
    // Limit the number of visited places, which does not depend on the load of the machine.
    #expect(visited < 6000)
  }

  @Test(arguments: [
    Coordinate.at(51.5, -0.12),
    Coordinate.at(-17.8, 179.99),
    Coordinate.at(89.9, 10),
    Coordinate.at(-50, -140),
  ])
  func `the twelve nearest places are those of an exhaustive search`(coordinate: Coordinate) throws {
    let table = try #require(PlaceTable.embedded)
    var all: [(meters: Double, id: Int)] = []
    for band in 0..<180 {
      for index in table.places(inBand: band) {
        guard let record = table.record(index), let place = record.coordinate(inBand: band) else {
          continue
        }
        all.append((coordinate.distanceMeters(to: place), record.id))
      }
    }
    let expected = all.sorted { $0.meters < $1.meters }.prefix(12)
    let found = Gazetteer.geoNames.nearest(12, to: coordinate)
    #expect(found.map(\.id) == expected.map(\.id))
    #expect(found.compactMap(\.distanceMeters) == expected.map(\.meters))
    #expect(found.allSatisfy { !$0.title.isEmpty && $0.bearingDegreesTrue != nil })
  }
}
