// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@Suite("Mock weather clients", .timeLimit(.minutes(5)))
struct WeatherClientTests {
  @Test func `the happyPath client returns a place and a weather report that is marked as simulated`() async throws {
    let places = try await WeatherClient.happyPath.searchLocations(.at(40.7, -74))
    #expect(places.map(\.title) == ["New York"])
    #expect(places.map(\.id) == [1])
    // The distance is above 0: the coordinate of the place is not the searched coordinate.
    #expect(places.allSatisfy { 1000...2000 ~= $0.distanceMeters ?? 0 })
    let report = try await WeatherClient.happyPath.weather(.place(1))
    #expect(report.now.temperatureDegreesCelsius == 20)
    #expect(report.days.map(\.highestTemperatureDegreesCelsius) == [30, -10])
    #expect(report.isSimulated)
  }

  @Test func `the empty client returns no places and a report without values`() async throws {
    #expect(try await WeatherClient.empty.searchLocations(.at(0, 0)).isEmpty)
    let report = try await WeatherClient.empty.weather(.coordinate(.at(1, 2)))
    #expect(report.coordinate == .at(1, 2))
    #expect(report.now == CurrentWeather())
    #expect(report.days.isEmpty)
  }

  @Test func `the failed client throws an error for a weather lookup`() async {
    await #expect(throws: WeatherError.self) {
      try await WeatherClient.failed.weather(.coordinate(.at(1, 2)))
    }
  }

  @Test func `the slow client returns the result after the delay`() async throws {
    let clock = ManualClock()
    let client = WeatherClient.slow(.happyPath, by: .seconds(9), clock: clock)
    async let report = client.weather(.coordinate(.at(1, 2)))
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(9))
    #expect(try await report.days.count == 2)
  }
}
