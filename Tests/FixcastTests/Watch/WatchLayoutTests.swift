// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Plugins
import Positioning
import SystemSupport
import Testing
import WeatherClient
import WeatherFeature

@testable import fixcast

/// The live view in a small, a usual and a large terminal.
@Suite("The layout of the live view")
struct WatchLayoutTests {
  /// Returns a sky of 16 satellites with directions; the last two have no signal.
  private static func sky(at seconds: Double) -> SkyEvent {
    var event = SceneEvents.sky(at: seconds, signals: (1...16).map { Double(50 - $0) })
    for index in event.sky.satellites.indices {
      event.sky.satellites[index].elevationDegrees = Double(15 + index * 37 % 70)
      event.sky.satellites[index].azimuthDegrees = Double(index * 67 % 360)
      if index >= 14 {
        event.sky.satellites[index].signalToNoiseDBHz = nil
        event.sky.satellites[index].isUsed = false
      }
    }
    return event
  }

  private static func outlook() -> OutlookEvent {
    let report = Samples.report {
      $0.attribution = "Weather data by Open-Meteo.com, CC BY 4.0"
      $0.hours = Samples.hours(48, from: .noon) {
        $0.weather.temperatureDegreesCelsius = $0.weather.temperatureDegreesCelsius.map { $0 / 2 }
        $0.weather.windSpeedMetersPerSecond = 5
        $0.precipitationProbabilityPercent = 60
      }
    }
    var outlook = WeatherOutlook(coordinate: .at(51.5, 0))
    (outlook.time, outlook.report) = (.noon, report)
    var input = ResolverInput(now: .at(4))
    (input.time, input.coordinate) = (.noon, outlook.coordinate)
    input.forecast = StoredForecast(report, receivedAt: .noon)
    outlook.resolved = WeatherResolver().answer(input)
    outlook.days = (0..<7).map { index in
      var day = DayWeather(date: UTCTime.noon.date.adding(days: Int32(index)))
      day.lowestTemperatureDegreesCelsius = 2
      day.highestTemperatureDegreesCelsius = 8
      day.condition = .lightRain
      return day
    }
    return OutlookEvent(outlook)
  }

  private static func scene() -> WatchScene {
    var scene = WatchScene()
    let second = ReceiverInfo(name: "/dev/ttyUSB7", isActive: false)
    scene.at(2, SceneEvents.path(), AuthorizationEvent(.init(.authorizedAlways)))
    scene.at(4, SceneEvents.location(at: 4), sky(at: 4), outlook())
    scene.at(4, SourceEvent.receiver(second))
    scene.state.sentences = (1...20).map { "$GPTXT,\($0)" }
    return scene
  }

  private static func lines(_ columns: Int, _ rows: Int, _ keys: WatchKey..., scene: WatchScene = scene()) -> [String] {
    var display = WatchDisplay()
    display.hasKeys = true
    for key in keys { display.press(key, showsPlot: false) }
    return WatchView(columns: columns, rows: rows, usesColor: false, display: display)
      .lines(scene.state, now: .at(5))
  }

  @Test func `in 40 columns and 10 rows, the live view shows each section and the number of cut rows`() {
    let lines = Self.lines(40, 10)
    #expect(lines.count <= 10)
    for label in ["Receiver", "Fix", "Sky", "Path", "Weather"] {
      #expect(lines.count { $0.hasPrefix(label) } == 1, "\(label): \(lines)")
    }
    #expect(lines.contains("Receiver 1.0 s  /dev/ttyACM0  +1 more"), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("Sky 1.0 s  14 used of 16 in view") }, "\(lines)")
    #expect(lines.contains("  51.507350° N  0.127760° W"), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("  ± 2.5 m (95 %)") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("Weather") && $0.contains(" more") }, "\(lines)")
  }

  @Test func `in 80 columns and 24 rows, the live view shows satellites with directions and a count`() {
    let lines = Self.lines(80, 24)
    #expect(lines.count <= 24 && lines.first == "fixcast watch   q quit, ? keys")
    #expect(lines.contains { $0.contains("G01  49 █") && $0.contains(" 15°    0°") }, "\(lines)")
    let shown = lines.joined().count { $0 == "G" }
    #expect(lines.contains { $0.contains("+\(16 - shown) more") }, "\(lines)")
    // The plot needs more rows, so it is shown only after the key `s`.
    #expect(!lines.contains { $0.contains("●") })
    let plot = Self.lines(80, 24, .skyPlot)
    #expect(plot.count == 24 && plot.contains { $0.contains("●G01") }, "\(plot)")
    #expect(plot.contains { $0.hasPrefix("Fix") } && plot.contains { $0.contains("51.507350") })
  }

  @Test func `in 200 columns and 60 rows, the live view shows the sky plot, all satellites and a forecast`() {
    let lines = Self.lines(200, 60)
    #expect(lines.count <= 60)
    #expect(lines.contains { $0.contains("●G01") }, "\(lines)")
    #expect(lines.contains { $0.contains("G16   -") && $0.hasSuffix("80°  285°") }, "\(lines)")
    #expect(lines.count { $0.contains("60 %") } == 12, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("Days                  Sat 2026-11-21") }, "\(lines)")
    #expect(!lines.contains { $0.contains(" more") }, "\(lines)")
    #expect(!Self.lines(200, 60, .skyPlot, .skyPlot).contains { $0.contains("●") })
  }

  @Test func `the live view shows today's row until midnight at the place, whatever the board's zone`() throws {
    // Friday, 20:00 in Los Angeles, which is Saturday in UTC.
    let now = UTCTime(secondsSince1970: 1_793_415_600)
    var outlook = WeatherOutlook(coordinate: .at(34.05, -118.24))
    outlook.time = now
    outlook.days = ([20_756, 20_757] as [Int32]).map { day in
      var weather = DayWeather(date: UTCDate(daysSince1970: day))
      weather.endsAt = UTCTime(secondsSince1970: (Int64(day) + 1) * 86_400 + 25_200)
      return weather
    }
    var scene = WatchScene()
    scene.at(1, OutlookEvent(outlook))
    func days(at seconds: Double) -> [Substring] {
      scene.lines(at: seconds, columns: 200, rows: 60).joined(separator: "\n")
        .split { $0.isWhitespace }.filter { $0.hasPrefix("2026-10-3") }
    }
    #expect(days(at: 2) == ["2026-10-30", "2026-10-31"])
    #expect(days(at: 4 * 3600 + 2) == ["2026-10-31"])
  }

  @Test func `the live view shows an hour that the clocks show twice with the zone`() throws {
    var scene = WatchScene()
    scene.state.format.zone = .rules(try #require(ZoneRules(named: "Europe/Berlin")))
    var outlook = WeatherOutlook(coordinate: .at(52.5, 13.4))
    // 2026-10-24T23:00Z.
    outlook.time = UTCTime(secondsSince1970: 1_792_882_800)
    outlook.report = Samples.report(at: .at(52.5, 13.4))
    outlook.report?.hours = (1..<4).map {
      HourWeather(time: UTCTime(secondsSince1970: 1_792_882_800 + $0 * 3600))
    }
    scene.at(1, OutlookEvent(outlook))
    let text = scene.lines(at: 2, columns: 200, rows: 60).joined(separator: "\n")
    #expect(text.contains("Sun 02:00 CEST ") && text.contains("Sun 02:00 CET "), "\(text)")
    #expect(text.contains("Sun 03:00  "), "\(text)")
  }

  @Test func `the live view shows the list of keys, raw sentences and other units after their keys`() {
    let help = Self.lines(40, 10, .help)
    #expect(help.contains { $0.contains("s sky plot") } && help.contains { $0.contains("q quit") })
    let raw = Self.lines(80, 24, .sentences)
    #expect(raw.suffix(20).contains("$GPTXT,20") && !raw.contains("$GPTXT,1"), "\(raw)")
    #expect(Self.lines(80, 24, .units).contains { $0.contains("speed 9.5 mph") })
    #expect(Self.lines(80, 9, .skyPlot).contains { $0.contains("needs a window of 10 rows") })
  }

  @Test func `the live view shows raw sentences only to a user who may know the exact position`() {
    var scene = Self.scene()
    scene.at(5, AuthorizationEvent(.init(.authorizedAlways, accuracy: .reducedAccuracy)))
    #expect(!Self.lines(80, 24, .sentences, scene: scene).joined().contains("$GPTXT"))
    scene.at(5, AuthorizationEvent(.init(.denied)))
    #expect(!Self.lines(80, 24, .sentences, scene: scene).joined().contains("$GPTXT"))
    scene.state.sentences = nil
    let lines = Self.lines(80, 24, .sentences, scene: scene)
    #expect(lines.contains { $0.hasSuffix("not available: the daemon reads the receiver") })
  }

  @Test(arguments: WatchKey.allCases)
  func `the live view fits every terminal size with each key`(key: WatchKey) {
    for columns in [20, 40, 49, 50, 79, 139, 140, 200] {
      for rows in [1, 3, 5, 9, 10, 14, 24, 40, 60] {
        let lines = Self.lines(columns, rows, key)
        #expect(lines.count <= rows && !lines.isEmpty, "\(columns)x\(rows)")
        #expect(lines.allSatisfy { Text.columns($0) <= columns }, "\(columns)x\(rows) \(lines)")
      }
    }
  }
}
