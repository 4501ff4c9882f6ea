// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import WeatherFeature

@Suite("Solar day")
struct SolarDayTests {
  /// Returns the absolute difference between two times in seconds.
  private func seconds(_ first: UTCTime, _ second: UTCTime) -> Double {
    abs(Double(first.nanoseconds(since: second)) / 1e9)
  }

  @Test(arguments: ReferenceSolarDay.all)
  func `noon, sunrise and sunset agree with PyEphem within 20 seconds`(reference: ReferenceSolarDay) throws {
    let day = try #require(
      SolarDay(of: reference.time, at: .at(reference.latitude, reference.longitude)))
    #expect(seconds(day.noon, reference.noon) <= 5)
    for (computed, expected) in [(day.sunrise, reference.sunrise), (day.sunset, reference.sunset)] {
      #expect((computed == nil) == (expected == nil))
      guard let computed, let expected else { continue }
      // The error is larger at high latitudes, where the sun crosses the horizon at a small angle.
      let limit: Double = abs(reference.latitude) < 60 ? 10 : 20
      #expect(seconds(computed, expected) <= limit, "\(reference.name): \(computed) \(expected)")
    }
  }

  @Test func `the solar day is the same for every time within that day`() throws {
    let place = Coordinate.at(-18.1336, 178.4244)
    let noon: UTCTime = "2026-12-21T00:04:07"
    let day = try #require(SolarDay(of: noon, at: place))
    #expect(SolarDay(of: noon.adding(seconds: -42_000), at: place) == day)
    #expect(SolarDay(of: noon.adding(seconds: 42_000), at: place) == day)
    #expect(SolarDay(of: noon.adding(seconds: 44_000), at: place) != day)
  }

  @Test func `a solar day has no sunrise and no sunset during polar day and polar night`() throws {
    func almanac(_ time: UTCTime, _ latitude: Double, _ longitude: Double) throws -> Almanac {
      try #require(Almanac(of: time, at: .at(latitude, longitude)))
    }
    for (time, latitude, light) in [
      ("2026-06-21T00:00:00", 69.6492, .day), ("2026-12-21T12:00:00", 69.6492, .night),
      ("2026-12-21T12:00:00", 89.9, .night), ("2026-12-21T12:00:00", -90, .day),
    ] as [(UTCTime, Double, Almanac.Light)] {
      let almanac = try almanac(time, latitude, 18.9553)
      #expect(almanac.day.sunrise == nil && almanac.day.sunset == nil, "\(time) \(latitude)")
      #expect(almanac.light == light, "\(time) \(latitude)")
    }
    // At the pole, the sun rises once a year. There is no sunset on that day.
    let start: UTCTime = "2026-03-15T12:00:00"
    let days = try (0..<9).map {
      try almanac(start.adding(seconds: $0 * 86_400), 90, 0)
    }
    #expect(days.first?.light == .night && days.last?.light == .day)
    #expect(days.filter { $0.day.sunrise != nil && $0.day.sunset == nil }.count == 1)
    #expect(days.filter { $0.day.sunset != nil }.isEmpty)
  }

  @Test func `sunrise, noon and sunset are in order at random coordinates and times`() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<150 {
      let place = Coordinate.at(
        .random(in: -65...65, using: &random), .random(in: -180...180, using: &random))
      let time = UTCTime(
        secondsSince1970: .random(in: -2_208_900_000...4_133_900_000, using: &random))
      let day = try #require(SolarDay(of: time, at: place))
      let moments = [day.sunrise, day.noon, day.sunset].compactMap { $0 }
      #expect(moments == moments.sorted())
      #expect(seconds(day.noon, time) <= 43_200 + 1100)
    }
  }

  @Test func `the initializer of a solar day returns nil for years before 1900 and after 2100`() {
    let place = Coordinate.at(51.5, 0)
    #expect(SolarDay(of: "1899-12-31T23:59:59", at: place) == nil)
    #expect(SolarDay(of: "1900-01-01T00:00:00", at: place) != nil)
    #expect(SolarDay(of: "2100-12-31T23:59:59", at: place) != nil)
    #expect(SolarDay(of: "2101-01-01T00:00:00", at: place) == nil)
    #expect(SolarDay(of: UTCTime(secondsSince1970: .max), at: place) == nil)
    #expect(SolarDay(of: UTCTime(secondsSince1970: .min), at: place) == nil)
  }
}
