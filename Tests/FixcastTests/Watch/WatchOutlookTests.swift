// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Positioning
import Testing
import WeatherClient
import WeatherFeature

@testable import fixcast

@Suite("Weather in the live view without a provider")
struct WatchOutlookTests {
  /// Returns an outlook from a report received some seconds ago for a place 11 km to the south.
  private static func outlook(agedSeconds: Int64) -> WeatherOutlook {
    let receivedAt = UTCTime.noon(plus: -agedSeconds)
    let report = Samples.report {
      $0.attribution = "Weather data by Somebody, CC BY 4.0"
      $0.hours = Samples.hours(from: receivedAt)
    }
    var outlook = WeatherOutlook(coordinate: .at(51.6, 0))
    outlook.time = .noon
    var input = ResolverInput(now: .at(0))
    (input.time, input.coordinate) = (.noon, outlook.coordinate)
    input.forecast = StoredForecast(report, receivedAt: receivedAt)
    outlook.resolved = WeatherResolver().answer(input)
    return outlook
  }

  private static func rows(_ scene: WatchScene, at seconds: Double) -> [String] {
    scene.lines(at: seconds, rows: 40).drop { !$0.hasPrefix("Weather") }.map { String($0) }
  }

  @Test func `the live view shows the stored forecast with age and place, and with sun and moon`() {
    var scene = WatchScene()
    // An older report, which the outlook replaces.
    scene.at(1, SceneEvents.location(at: 1), SceneEvents.weather(at: 1))
    var outlook = Self.outlook(agedSeconds: 9000)
    outlook.pressureTendencyHectopascals = -1.84
    scene.at(5, OutlookEvent(outlook))
    let rows = Self.rows(scene, at: 6)
    #expect(
      rows.prefix(6) == [
        "Weather      old 2 h  2.5 °C",
        "                      for 51.60° N 0.00° E",
        "                      stored forecast of openmeteo, interpolated to now",
        "                      Weather data by Somebody, CC BY 4.0",
        "                      for a place 11.1 km away",
        "                      pressure falling 1.8 hPa in 3 h",
      ])
    #expect(rows.contains { $0.hasPrefix("                      sun up 07:") })
    #expect(rows.last?.hasPrefix("                      moon waxing gibbous, 8") == true)
    // The age of the forecast increases without new events.
    #expect(Self.rows(scene, at: 6 + 3600).first == "Weather      old 3 h  2.5 °C")
  }

  @Test func `after three days the live view shows no report, not even an earlier report of a provider`() {
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1), SceneEvents.weather(at: 1))
    scene.at(300_000, OutlookEvent(Self.outlook(agedSeconds: 300_000)))
    let rows = Self.rows(scene, at: 300_001)
    #expect(rows.first == "Weather               no report that is still valid")
    #expect(!rows.contains { $0.contains("11.4 °C") || $0.contains("openmeteo") })
    // A later report is shown at once.
    scene.at(300_002, SceneEvents.weather(at: 300_002))
    #expect(Self.rows(scene, at: 300_003).first == "Weather        1.0 s  11.4 °C, light rain")
  }

  @Test func `without a report, the live view shows sun and moon below the state of the lookup`() {
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1))
    scene.at(1, OutlookEvent(Self.outlook(agedSeconds: 400_000)))
    let rows = Self.rows(scene, at: 2)
    #expect(rows.first == "Weather               no answer yet")
    #expect(rows.count == 3 && rows.last?.contains("moon waxing gibbous") == true)
  }

  private static func instruments(agedSeconds: Double) -> SensorReading {
    var reading = SensorReading(name: "instruments")
    reading.receiver = "/dev/ttyUSB0"
    reading.temperatureDegreesCelsius = 17.2
    reading.windSpeedMetersPerSecond = 6
    reading.windDirectionDegreesTrue = 330
    reading.waterTemperatureDegreesCelsius = 17.9
    reading.measuredAt = MonotonicTime.at(-agedSeconds)
    return reading
  }

  @Test func `without a report, the live view shows instrument readings with age and receiver`() {
    var input = ResolverInput(now: .at(0))
    input.sensor = Self.instruments(agedSeconds: 40)
    var outlook = WeatherOutlook(coordinate: .at(51.6, 0))
    outlook.resolved = WeatherResolver().answer(input)
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1), OutlookEvent(outlook))
    #expect(
      Self.rows(scene, at: 2) == [
        "Weather         41 s  17.2 °C",
        "                      wind 6.0 m/s from 330°, water 17.9 °C",
        "                      for 51.60° N 0.00° E",
        "                      measured by instruments on /dev/ttyUSB0",
      ])
  }

  @Test func `the live view shows instrument readings below a forecast, each with its own age`() {
    var outlook = Self.outlook(agedSeconds: 9000)
    var input = ResolverInput(now: .at(0))
    input.sensor = Self.instruments(agedSeconds: 40)
    outlook.resolved = ResolvedWeather(
      weather: outlook.resolved.weather + WeatherResolver().answer(input).weather, almanac: nil)
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1), OutlookEvent(outlook))
    let rows = Self.rows(scene, at: 2)
    #expect(rows.first == "Weather      old 2 h  2.5 °C")
    #expect(
      rows.suffix(3) == [
        "                41 s  17.2 °C",
        "                      wind 6.0 m/s from 330°, water 17.9 °C",
        "                      measured by instruments on /dev/ttyUSB0",
      ])
  }
}
