// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Open-Meteo replies")
struct OpenMeteoReplyTests {
  private func report(_ body: [UInt8]) throws(WeatherError) -> WeatherReport {
    try OpenMeteo().decode([WeatherReply(body: body)], for: WeatherCell(.at(0, 0)))
  }

  @Test func `Open-Meteo values are converted from the units in the reply`() throws {
    let body = """
      {"current_units":{"temperature_2m":"°F","wind_speed_10m":"kn","precipitation":"inch"},
      "current":{"temperature_2m":50,"wind_speed_10m":36,"precipitation":2}}
      """
    let now = try report(Array(body.utf8)).now
    #expect(now.temperatureDegreesCelsius == 10)
    #expect(now.windSpeedMetersPerSecond == 18.52)
    #expect(now.precipitationMillimeters == 50.8)
  }

  @Test(
    arguments: [
      (#""2024-03-01T14:30""#, 3600, 1_709_299_800), (#""2024-03-01""#, 0, 1_709_251_200),
      ("1709251200", 3600, 1_709_251_200), (#""2024-02-30""#, 0, nil), (#""noon""#, 0, nil),
      (#""2024-03-01T""#, 0, nil), (#""2024-03-01T99:00""#, 0, nil),
    ] as [(String, Int, Int64?)])
  func `Open-Meteo times are parsed as Unix time or local time, and any other text as nil`(
    text: String, offset: Int, seconds: Int64?
  ) throws {
    let time = try JSONDecoder().decode(OpenMeteoTime.self, from: Data(text.utf8))
    #expect(time.utc(offsetSeconds: offset)?.secondsSince1970 == seconds)
  }

  @Test func `damaged Open-Meteo replies result in a report or a WeatherError`() {
    var generator = SeededGenerator(seed: 7)
    let good = Array(OpenMeteoTests.good.utf8)
    var reports = 0
    for _ in 0..<RandomInputs.count(20_000) {
      var body = good
      for _ in 0..<3 {
        let at = Int.random(in: body.indices, using: &generator)
        body[at] = UInt8.random(in: 0x20...0x7E, using: &generator)
      }
      if (try? report(body)) != nil { reports += 1 }
    }
    #expect(reports > 100)
  }
}
