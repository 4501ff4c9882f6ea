// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Pipeline
import Positioning
import SystemSupport
import Testing
import WeatherClient
import WeatherFeature

@testable import Plugins

@Suite("Weather outlook as a table and as a JSON object")
struct OutlookTests {
  static let noon = UTCTime.noon(plus: 0, nanosecond: 123_456_789)

  /// Returns the resolver's result for a report of the given age, at a distance to the north.
  static func outlook(agedSeconds: Int64, degreesNorth: Double = 0) -> WeatherOutlook {
    Samples.outlook(agedSeconds: agedSeconds, degreesNorth: degreesNorth, at: noon) {
      $0.now.temperatureDegreesCelsius = 11.44
      $0.now.precipitationMillimeters = 0.2
      $0.now.windSpeedMetersPerSecond = 5.1
      $0.now.windDirectionDegreesTrue = 240
      $0.attribution = "Weather data by Somebody, CC BY 4.0"
      var day = DayWeather(date: noon.date)
      day.highestTemperatureDegreesCelsius = 12
      $0.days = [day]
    }
  }

  private static func object(_ outlook: WeatherOutlook) -> String {
    var line = JSONLine()
    line.appendWEATHER(outlook)
    return String(decoding: line.bytes, as: UTF8.self)
  }

  @Test func `a fresh report is shown with its source, age and attribution`() {
    let text = OutlookText().table(Self.outlook(agedSeconds: 360))
    #expect(
      text.hasPrefix(
        """
        51.50,0.00  2026-11-21 12:00:00Z
          Temperature    11.4 °C
          Wind           5.1 m/s from 240°
          Precipitation  0.2 mm
          Source         forecast by openmeteo, 6 min old
          Sun            up 07:2
        """))
    #expect(
      text.hasSuffix(
        """
          Day                 Min    Max     mm      %    m/s  Sky
          Sat 2026-11-21        -   12.0      -      -      -  -

        Weather data by Somebody, CC BY 4.0

        """))
  }

  /// An outlook whose report has each value that a provider may send.
  private static var complete: WeatherOutlook {
    var outlook = outlook(agedSeconds: 360)
    outlook.report?.now.windGustMetersPerSecond = 9.25
    outlook.report?.now.dewPointDegreesCelsius = 3.5
    outlook.report?.now.visibilityMeters = 24_140
    for index in 0..<100 {
      outlook.report?.hours[index].precipitationProbabilityPercent = Double(index)
      outlook.report?.hours[index].weather.windGustMetersPerSecond = 10
    }
    outlook.days[0].precipitationProbabilityPercent = 80
    outlook.days[0].highestWindSpeedMetersPerSecond = 12.5
    var input = ResolverInput(now: .at(0))
    (input.time, input.coordinate, input.report) = (noon, outlook.coordinate, outlook.report)
    outlook.resolved = WeatherResolver().answer(input)
    return outlook
  }

  @Test func `gusts, dew point, visibility and the probability of precipitation are shown`() throws {
    let outlook = Self.complete
    let lines = OutlookText().table(outlook).split(separator: "\n")
    #expect(lines.contains("  Wind           5.1 m/s from 240°, gusts 9.3 m/s"), "\(lines)")
    #expect(lines.contains("  Dew point      3.5 °C") && lines.contains("  Visibility     24.1 km"))
    #expect(lines.contains("  Precipitation  0.2 mm, probability 0 %"), "\(lines)")
    #expect(lines.contains("  Sat 2026-11-21        -   12.0      -     80   12.5  -"), "\(lines)")
    #expect(!lines.contains { $0.contains("Hour") })
    let object = Self.object(outlook)
    #expect(object.contains(#""dewPoint":3.5,"windSpeed":5.1,"windGust":9.25,"windDirection":240.0,"#))
    #expect(object.contains(#""visibility":24140.0,"precipitationProbability":0.0,"#), "\(object)")
    #expect(object.contains(#""precipitationProbability":80.0,"maxWindSpeed":12.5}]"#))
    #expect(!object.contains("hours"))
    var unknown = outlook
    unknown.report?.hours = []
    #expect(!Self.object(unknown).contains(#""precipitationProbability":0.0"#))
  }

  @Test func `an hourly forecast begins with the current step and is in the reader's time`() throws {
    let outlook = Self.complete
    let hours = try #require(outlook.report).hours(from: Self.noon, for: 24)
    // The first step began six minutes before noon.
    #expect(hours.count == 25 && hours.first?.time.secondsSince1970 == 1_795_262_040)
    let zone = LocalZone.fixed(offsetSeconds: 46_800, abbreviation: "NZDT")
    let text = OutlookText(ValueFormat(units: .nautical, zone: zone)).table(outlook, hours: hours)
    #expect(
      text.contains(
        """

          Hour                 °C     mm      %     kn  Gusts  Sky
          Sun 00:54           0.0      -      0      -   19.4  -
          Sun 01:54           1.0      -      1      -   19.4  -
        """), "\(text)")
    var line = JSONLine()
    line.appendWEATHER(outlook, hours: Array(hours.prefix(1)))
    #expect(
      String(decoding: line.bytes, as: UTF8.self).contains(
        #""hours":[{"time":"2026-11-21T11:54:00.000Z","duration":3600,"temperature":0.0,"#
          + #""windGust":10.0,"precipitationProbability":0.0}],"sunrise""#))
    let gone = try #require(outlook.report).hours(from: UTCTime(secondsSince1970: 1_900_000_000), for: 24)
    #expect(gone.isEmpty)
  }

  @Test func `an hour that the clocks show twice is shown with the zone`() throws {
    let zone = LocalZone.rules(try #require(ZoneRules(named: "Europe/Berlin")))
    // 2026-10-24T23:00Z, an hour before 02:00 CEST.
    let hours = (0..<4).map {
      HourWeather(time: .init(secondsSince1970: 1_792_882_800 + $0 * 3600))
    }
    let lines = ForecastText(ValueFormat(zone: zone)).hours(hours).dropFirst(2)
    #expect(
      lines.map { $0.prefix(18) } == [
        "  Sun 01:00       ", "  Sun 02:00 CEST  ", "  Sun 02:00 CET   ", "  Sun 03:00       ",
      ])
  }

  @Test func `a reduced outlook contains neither the coordinate nor the time of the report`() {
    var outlook = Self.outlook(agedSeconds: 1000, degreesNorth: 0.0251)
    outlook.reason = "GET /?latitude=51.5"
    var line = JSONLine()
    line.appendReducedWEATHER(outlook)
    let text = String(decoding: line.bytes, as: UTF8.self)
    #expect(text.hasPrefix(#"{"class":"WEATHER","time":"2026-11-21T12:00:00.000Z","#))
    #expect(text.contains(#""lat":51.5251,"lon":0.0,"kind":"forecast""#), "\(text)")
    #expect(text.contains(#""age":1800,"distance":5000.0,"stale":false,"temperature":11.44"#))
    #expect(text.contains("CC BY 4.0") && text.contains(#""days":[{"#) && text.contains("moon"))
    for word in ["51.5,", "51.500", "issued", "reason"] { #expect(!text.contains(word), "\(word)") }
  }

  @Test func `a stored forecast is shown with its kind, age and distance`() {
    let outlook = Self.outlook(agedSeconds: 9000, degreesNorth: 0.1)
    let text = OutlookText().table(outlook)
    #expect(text.contains("  Temperature    2.5 °C\n"))
    #expect(
      text.contains(
        "  Source         stored forecast of openmeteo, interpolated to now, 2.5 h old, "
          + "for a place 11.1 km away\n"))
    let object = Self.object(outlook)
    #expect(
      object.hasPrefix(
        #"{"class":"WEATHER","time":"2026-11-21T12:00:00.000Z","lat":51.5,"lon":0.0,"#
          + #""kind":"interpolated","provider":"openmeteo","age":9000,"distance":11125.9,"#))
    #expect(object.contains(#","stale":true,"temperature":2.5,"#))
  }

  @Test func `an outlook without weather shows only sun and moon`() {
    var outlook = WeatherOutlook(coordinate: .at(80, 0))
    outlook.time = Self.noon
    outlook.resolved = ResolvedWeather(weather: [], almanac: Almanac(of: Self.noon, at: outlook.coordinate))
    let text = OutlookText().table(outlook)
    #expect(text.contains("  Weather        unknown: "))
    #expect(text.contains("  Sun            down all day; "))
    let object = Self.object(outlook)
    #expect(!object.contains("kind") && !object.contains("temperature"))
    #expect(!object.contains("sunrise") && object.contains(#""moon":"waxingGibbous""#))
  }

  @Test(
    arguments: [
      (WeatherError.notDue(afterSeconds: 60, reason: "openmeteo was contacted less than a minute ago"), 60),
      (.rateLimited(retryAfterSeconds: 17.5, reason: nil), 18), (.network("no route"), nil),
    ] as [(WeatherError, Int?)])
  func `the JSON object contains the reason of a failed lookup and the time until the next lookup`(
    _ failure: WeatherError, _ seconds: Int?
  ) {
    var outlook = Self.outlook(agedSeconds: 9000)
    outlook.failure = failure
    outlook.reason = "\(failure)"
    let tail = seconds.map { ",\"retryAfter\":\($0)}\n" } ?? "}\n"
    #expect(Self.object(outlook).hasSuffix(",\"reason\":\"\(failure)\"" + tail))
    outlook.resolved = ResolvedWeather(weather: [], almanac: nil)
    #expect(Self.object(outlook).hasSuffix(",\"reason\":\"\(failure)\"" + tail))
    // A fresh report needs no reason.
    var fresh = Self.outlook(agedSeconds: 60)
    fresh.reason = "\(failure)"
    #expect(!Self.object(fresh).contains("reason"))
  }

  @Test(arguments: [
    (-1.84, "falling 1.8 hPa in 3 h", "-1.8"), (2.0, "rising 2.0 hPa in 3 h", "2.0"),
    (0.04, "steady for 3 h", "0.0"), (-0.04, "steady for 3 h", "0.0"),
  ])
  func `an outlook's pressure tendency is shown if it is known`(_ tendency: Double, _ words: String, _ number: String) {
    var outlook = Self.outlook(agedSeconds: 360)
    #expect(!OutlookText().table(outlook).contains("Tendency"))
    #expect(!Self.object(outlook).contains("pressureTendency"))
    outlook.pressureTendencyHectopascals = tendency
    #expect(OutlookText().table(outlook).contains("  Tendency       pressure \(words), measured here\n"))
    #expect(Self.object(outlook).contains(",\"pressureTendency\":\(number),"))
  }

  @Test func `an outlook without time and weather contains no invented values`() {
    let outlook = WeatherOutlook(coordinate: .at(0, 0))
    #expect(
      OutlookText().table(outlook) == """
        0.00,0.00
          Weather        unknown: no recent report and no stored forecast

        """)
    #expect(Self.object(outlook) == #"{"class":"WEATHER","lat":0.0,"lon":0.0}"# + "\n")
  }

  private static let instruments: SensorReading = {
    var reading = SensorReading(name: "instruments")
    reading.receiver = "/dev/ttyUSB0"
    reading.windSpeedMetersPerSecond = 6
    reading.waterTemperatureDegreesCelsius = 17.9
    reading.measuredAt = .at(0)
    return reading
  }()

  private static var measured: [WeatherAnswer] {
    var resolverInput = ResolverInput(now: .at(40))
    resolverInput.sensor = instruments
    return WeatherResolver().answer(resolverInput).weather
  }

  @Test func `an instrument reading has its receiver, age and water temperature`() {
    var outlook = WeatherOutlook(coordinate: .at(54, 10))
    outlook.time = Self.noon
    outlook.resolved = ResolvedWeather(weather: Self.measured, almanac: nil)
    #expect(
      Self.object(outlook)
        == #"{"class":"WEATHER","time":"2026-11-21T12:00:00.000Z","lat":54.0,"lon":10.0,"#
        + #""kind":"sensor","provider":"instruments","age":40,"distance":0.0,"stale":true,"#
        + #""device":"/dev/ttyUSB0","windSpeed":6.0,"waterTemperature":17.9}"# + "\n")
    let text = OutlookText().table(outlook)
    #expect(text.contains("  Water          17.9 °C\n"))
    #expect(text.contains("  Source         measured by instruments on /dev/ttyUSB0, 40 s old\n"))
  }

  @Test func `an instrument reading next to a forecast is a separate JSON object`() {
    var outlook = Self.outlook(agedSeconds: 9000)
    outlook.resolved = ResolvedWeather(
      weather: outlook.resolved.weather + Self.measured, almanac: outlook.resolved.almanac)
    let object = Self.object(outlook)
    #expect(object.contains(#""kind":"interpolated","provider":"openmeteo","age":9000,"#))
    #expect(
      object.contains(
        #","measured":{"provider":"instruments","age":40,"device":"/dev/ttyUSB0","windSpeed":6.0,"#
          + #""waterTemperature":17.9},"#))
    var reduced = JSONLine()
    reduced.appendReducedWEATHER(outlook)
    let text = String(decoding: reduced.bytes, as: UTF8.self)
    #expect(!text.contains("waterTemperature") && !text.contains("ttyUSB0"))
  }

  @Test func `an instrument reading next to a forecast is omitted after ten minutes`() {
    var outlook = Self.outlook(agedSeconds: 9000)
    outlook.resolved = ResolvedWeather(
      weather: outlook.resolved.weather + Self.measured, almanac: outlook.resolved.almanac)
    for (seconds, isKept) in [(560.0, true), (561, false)] {
      var line = JSONLine()
      line.appendWEATHER(outlook, secondsLater: seconds)
      let text = String(decoding: line.bytes, as: UTF8.self)
      #expect(text.contains(#""measured":{"#) == isKept && text.contains("openmeteo"), "\(text)")
    }
  }

  @Test(arguments: [JSONLinesSink.plugin, ExecSink.plugin])
  func `a sink without its own filter receives outlooks, but no instrument readings`(plugin: Plugin) {
    let context = PluginContext(now: { .at(0) })
    let takes = plugin.specification(SettingsTable(), context).takes
    #expect(!takes(InstrumentEvent(InstrumentReadings())))
    #expect(takes(OutlookEvent(Self.outlook(agedSeconds: 60))))
  }
}
