// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Open-Meteo's replies")
struct OpenMeteoReplyTests {
  /// Replies collected elsewhere, where they are.
  static let samples: URL = {
    let corpus = ProcessInfo.processInfo.environment["FIXCAST_CORPUS"] ?? "../shared/corpus"
    return URL(fileURLWithPath: corpus).deletingLastPathComponent().appendingPathComponent(
      "samples")
  }()
  static let haveSamples = FileManager.default.fileExists(
    atPath: samples.appendingPathComponent("open_meteo_error_400.json").path)

  private func report(_ sample: String) throws -> WeatherReport {
    let data = try Data(contentsOf: Self.samples.appendingPathComponent(sample))
    return try OpenMeteo.report(Array(data), at: .at(0, 0))
  }

  private func seconds(
    _ year: Int, _ month: Int, _ day: Int, _ hour: UInt8, _ minute: UInt8
  ) throws -> UTCTime {
    UTCTime(
      date: try #require(UTCDate(year: year, month: month, day: day)),
      timeOfDay: try #require(UTCTimeOfDay(hour: hour, minute: minute, second: 0)))
  }

  @Test("collected ones are read, with times of the place made UTC", .enabled(if: haveSamples))
  func collected() throws {
    let paris = try report("open_meteo_current_daily_paris.json")
    #expect(paris.now.apparentTemperatureDegreesCelsius == 6.2)
    #expect(paris.validAt == (try seconds(2024, 3, 1, 13, 30)))
    #expect(paris.days.map(\.condition) == [.lightRain, .rainShowers])
    #expect(
      paris.days.map(\.date) == [
        UTCDate(year: 2024, month: 2, day: 29), UTCDate(year: 2024, month: 3, day: 1),
      ])
    #expect(paris.days.first?.sunrise == (try seconds(2024, 2, 29, 6, 33)))

    let bogota = try report("open_meteo_current_hourly_bogota.json")
    #expect(bogota.now.temperatureDegreesCelsius == 22.8)
    #expect(bogota.now.humidityPercent == 65)
    #expect(bogota.now.condition == .overcast)

    let newJersey = try report("open_meteo_current_newjersey_dst.json")
    let wind = try #require(newJersey.now.windSpeedMetersPerSecond)
    #expect(abs(wind - 5.5 / 3.6) < 1e-12)
    #expect(newJersey.validAt == (try seconds(2026, 9, 1, 13, 0)))
    #expect(newJersey.now.apparentTemperatureDegreesCelsius == 28.1)
  }

  @Test(
    "collected errors are errors", .enabled(if: haveSamples),
    arguments: ["400", "400_latitude", "429"])
  func errors(sample: String) {
    #expect(throws: WeatherError.self) { try report("open_meteo_error_\(sample).json") }
  }

  @Test("units are taken as stated")
  func units() throws {
    let body = """
      {"current_units":{"temperature_2m":"°F","wind_speed_10m":"kn","precipitation":"inch"},
      "current":{"temperature_2m":50,"wind_speed_10m":36,"precipitation":2}}
      """
    let now = try OpenMeteo.report(Array(body.utf8), at: .at(0, 0)).now
    #expect(now.temperatureDegreesCelsius == 10)
    #expect(now.windSpeedMetersPerSecond == 18.52)
    #expect(now.precipitationMillimeters == 50.8)
  }

  @Test(
    "times are read in both forms",
    arguments: [
      (#""2024-03-01T14:30""#, 3600, 1_709_299_800), (#""2024-03-01""#, 0, 1_709_251_200),
      ("1709251200", 3600, 1_709_251_200), (#""2024-02-30""#, 0, nil), (#""noon""#, 0, nil),
      (#""2024-03-01T""#, 0, nil), (#""2024-03-01T99:00""#, 0, nil),
    ] as [(String, Int, Int64?)])
  func times(text: String, offset: Int, seconds: Int64?) throws {
    let time = try JSONDecoder().decode(OpenMeteoTime.self, from: Data(text.utf8))
    #expect(time.utc(offsetSeconds: offset)?.secondsSince1970 == seconds)
  }

  @Test("a coordinate leaves in hundredths of a degree")
  func hundredths() {
    #expect(Coordinate.at(-0.004, 179.996).roundedToGrid.longitudeDegrees == 180)
    #expect((-0.004).inHundredths == "0.00")
    #expect((-12.345).inHundredths == "-12.35" || (-12.345).inHundredths == "-12.34")
    #expect(5.05.inHundredths == "5.05")
    #expect((-0.5).inHundredths == "-0.50")
  }

  @Test("whatever 20,000 damaged replies say, the answer is a report or a typed error")
  func damaged() {
    var generator = SeededGenerator(seed: 7)
    let good = Array(OpenMeteoTests.good.utf8)
    var reports = 0
    for _ in 0..<20_000 {
      var body = good
      for _ in 0..<3 {
        let at = Int.random(in: body.indices, using: &generator)
        body[at] = UInt8.random(in: 0x20...0x7E, using: &generator)
      }
      if (try? OpenMeteo.report(body, at: .at(0, 0))) != nil { reports += 1 }
    }
    #expect(reports > 100)
  }
}
