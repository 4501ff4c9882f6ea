// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing
import WeatherClient
import WeatherClientLive

@testable import fixcast

@Suite("The demo's weather", .timeLimit(.minutes(5)))
struct DemoWeatherTests {
  private func noon(month: Int, day: Int = 21) throws -> UTCTime {
    let date = try #require(UTCDate(year: 2026, month: month, day: day))
    return UTCTime(secondsSince1970: Int64(date.daysSince1970) * 86_400 + 43_200)
  }

  private func temperature(_ latitude: Double, _ month: Int) throws -> Double {
    DemoWeather(coordinate: .at(latitude, 0)).moment(try noon(month: month)).temperature
  }

  @Test func `simulated weather has opposite seasons in the hemispheres and is warm at the equator`() throws {
    #expect(try temperature(52, 7) > temperature(52, 1) + 5)
    #expect(try temperature(-35, 1) > temperature(-35, 7) + 2)
    #expect(try temperature(0, 1) > 20)
    #expect(try temperature(85, 1) < -5)
  }

  @Test func `simulated weather is plausible and reproducible for random places and times`() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let weather = DemoWeather(
        coordinate: .at(
          Double.random(in: -90...90, using: &generator),
          Double.random(in: -180...180, using: &generator)))
      let time = UTCTime(
        secondsSince1970: Int64.random(in: 0...4_000_000_000, using: &generator))
      let now = weather.moment(time)
      #expect((-60...55).contains(now.temperature))
      #expect((0...100).contains(now.humidity) && (0...100).contains(now.cloudCover))
      #expect((950...1060).contains(now.pressure))
      #expect((0...20).contains(now.windSpeed) && (0...360).contains(now.windDirection))
      #expect(now.precipitation >= 0)
      #expect(now == weather.moment(time))
      let day = weather.day(time.date)
      #expect(day.lowest <= day.highest)
    }
  }

  @Test func `simulated sunrise and sunset are accurate to 20 minutes, and nil in the polar night`() throws {
    let greenwich = DemoWeather(coordinate: .at(51.48, 0))
    let date = try noon(month: 3, day: 20).date
    let sun = try #require(greenwich.sun(date))
    let midnight = Int64(date.daysSince1970) * 86_400
    #expect(abs(sun.rise - midnight - 21_600) < 1200)
    #expect(abs(sun.set - midnight - 64_800) < 1200)
    #expect(DemoWeather(coordinate: .at(80, 0)).sun(try noon(month: 12).date) == nil)
  }

  @Test func `the demo's server implements Open-Meteo's protocol and marks its reports as simulated`() async throws {
    let time = try noon(month: 11)
    let server = try await DemoWeatherServer(now: { time })
    let report = try await WeatherClient.openMeteo(OpenMeteo(baseURL: server.baseURL)).weather(
      .coordinate(.at(51.5074, -0.1278)))
    let expected = DemoWeather(coordinate: .at(51.51, -0.13)).moment(time)
    #expect(report.isSimulated && report.kind == .forecast && report.attribution == nil)
    #expect(abs((report.now.temperatureDegreesCelsius ?? -99) - expected.temperature) <= 0.0501)
    #expect(report.now.condition == WeatherCondition(wmoCode: expected.weatherCode))
    #expect(report.validAt == time)
    #expect(report.days.count == 7 && report.days.first?.date == time.date)
    await server.stop()
  }

  @Test func `the demo's days are days of the nautical time zone of the place`() throws {
    // 04:00 UTC, which is 20:00 on the day before at 118 degrees west.
    let time = UTCTime(secondsSince1970: try noon(month: 11).secondsSince1970 - 28_800)
    let reply = try DemoWeatherReply(
      query: [
        "latitude": "34.05", "longitude": "-118.24", "timeformat": "unixtime",
        "wind_speed_unit": "ms",
      ], at: time)
    let midnight = time.secondsSince1970 - 20 * 3600
    #expect(reply.utcOffsetSeconds == -28_800 && reply.timezone == "Etc/GMT+8")
    #expect(reply.daily.time.first == midnight)
    let hours = (0..<24).map { hour in
      DemoWeather(coordinate: .at(34.05, -118.24))
        .moment(UTCTime(secondsSince1970: midnight + hour * 3600)).temperature
    }
    let lowest = try #require(hours.min())
    #expect(abs((reply.daily.temperature2mMin.first ?? 99) - lowest) <= 0.0501)
  }

  @Test(arguments: [
    ["latitude": "91", "longitude": "0"], ["latitude": "x", "longitude": "0"], ["latitude": "1"],
    ["latitude": "1", "longitude": "2", "timeformat": "iso8601"],
  ])
  func `the demo's weather server refuses an invalid request with a reason`(query: [String: String]) throws {
    let time = try noon(month: 11)
    #expect(throws: DemoWeatherReply.Refusal.self) {
      try DemoWeatherReply(query: query, at: time)
    }
  }
}
