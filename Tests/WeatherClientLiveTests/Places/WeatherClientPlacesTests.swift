// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing
import WeatherClient
import WeatherClientLive

@Suite("Client with places from the gazetteer")
struct WeatherClientPlacesTests {
  @Test func `a place search uses the gazetteer and does not call the original client`() async throws {
    let places = try await WeatherClient.failed.withPlaces().searchLocations(.at(51.4769, 0))
    #expect(places.first?.title == "Greenwich")
  }

  @Test func `a place search returns the best place first, and then the nearest others by distance`() async throws {
    let coordinate = Coordinate.at(40.6782, -73.9442)
    let nearest = try #require(Gazetteer.geoNames.nearest(1, to: coordinate).first)
    let places = try await WeatherClient.failed.withPlaces().searchLocations(coordinate)
    // Brooklyn describes its centre better than the neighbourhood that is nearer.
    #expect(places.first == Gazetteer.geoNames.nearest(to: coordinate))
    #expect(places.first?.title == "Brooklyn" && nearest.title != "Brooklyn")
    #expect(places.count == 5 && Set(places.map(\.id)).count == 5)
    #expect(places.dropFirst().first == nearest)
    let distances = try places.dropFirst().map { try #require($0.distanceMeters) }
    #expect(distances == distances.sorted())
  }

  @Test func `a place search returns each place once if the best place is also the nearest`() async throws {
    let greenwich = Coordinate.at(51.4769, 0)
    let places = try await WeatherClient.failed.withPlaces().searchLocations(greenwich)
    let distances = places.compactMap(\.distanceMeters)
    #expect(places.first == Gazetteer.geoNames.nearest(1, to: greenwich).first)
    #expect(places.count == 5 && distances == distances.sorted())
    #expect(Set(places.map(\.id)).count == 5)
  }

  @Test func `weather at a place is looked up by the coordinate of the place`() async throws {
    let targets = Mutex<[WeatherTarget]>([])
    var client = WeatherClient.happyPath
    client.weather = { target throws(WeatherError) in
      targets.withLock { $0.append(target) }
      return try await WeatherClient.happyPath.weather(target)
    }
    let placed = client.withPlaces()
    _ = try await placed.weather(.place(2_643_743))
    _ = try await placed.weather(.coordinate(.at(1, 2)))
    #expect(
      targets.withLock { $0 } == [.coordinate(.at(51.5085, -0.1257)), .coordinate(.at(1, 2))])
    await #expect(throws: WeatherError.unknownPlace(id: 3)) {
      try await placed.weather(.place(3))
    }
  }
}
