// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing
import WeatherClient
import WeatherClientLive

@Suite("Client with places from the gazetteer")
struct WeatherClientPlacesTests {
  @Test("a place search uses the gazetteer and does not call the original client")
  func search() async throws {
    let places = try await WeatherClient.failed.withPlaces().searchLocations(.at(51.4769, 0))
    #expect(places.map(\.title) == ["Greenwich"])
  }

  @Test("weather at a place is looked up by the coordinate of the place")
  func place() async throws {
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
