// SPDX-License-Identifier: Apache-2.0

import Positioning
import SystemSupport
import Testing
import WeatherClient

@testable import Plugins

@Suite("Values in the units and the time zone of the reader")
struct ValueFormatTests {
  private static let time = UTCTime(secondsSince1970: 1_248_432_426)
  private static let summer = LocalZone.fixed(offsetSeconds: 7200, abbreviation: "CEST")

  @Test(arguments: [
    (
      UnitSystem.metric,
      ["36.0 km/h", "10.0 m/s", "100.0 m", "18.5 km", "11.4 °C", "1013.2 hPa", "4.2 mm"]
    ),
    (
      .imperial,
      ["22.4 mph", "22.4 mph", "328 ft", "11.5 mi", "52.5 °F", "29.92 inHg", "0.17 in"]
    ),
    (
      .nautical,
      ["19.4 kn", "19.4 kn", "100.0 m", "10.0 nmi", "11.4 °C", "1013.2 hPa", "4.2 mm"]
    ),
  ])
  func `a value has the unit of the unit system`(_ units: UnitSystem, _ texts: [String]) {
    let format = ValueFormat(units: units)
    #expect(
      texts == [
        format.speed(10), format.wind(10), format.height(100), format.distance(18_520),
        format.temperature(11.4), format.pressure(1013.2, places: 1), format.precipitation(4.2),
      ])
  }

  @Test(
    arguments: [
      ([:], UnitSystem.metric), (["LANG": "en_US.UTF-8"], .imperial),
      (["LANG": "en_LR"], .imperial),
      (["LANG": "my_MM@latin"], .imperial), (["LANG": "en_GB.UTF-8"], .metric),
      (["LANG": "C"], .metric), (["LANG": "en_USX"], .metric), (["LANG": "US"], .metric),
      (["LANG": "en_US.UTF-8", "LC_MEASUREMENT": "de_DE.UTF-8"], .metric),
      (["LANG": "de_DE.UTF-8", "LC_MEASUREMENT": "en_US.UTF-8"], .imperial),
      (["LC_MEASUREMENT": "en_US.UTF-8", "LC_ALL": "C.UTF-8"], .metric),
      (["LC_MEASUREMENT": "en_US.UTF-8", "LC_ALL": ""], .imperial),
      (["LC_NUMERIC": "en_US.UTF-8"], .metric),
    ] as [([String: String], UnitSystem)])
  func `the first non-empty variable of the locale chooses the units`(
    _ variables: [String: String], _ units: UnitSystem
  ) {
    #expect(UnitSystem.ofLocale { variables[$0] } == units)
  }

  @Test func `a time has the date and the abbreviation of the zone, and a Z in UTC`() {
    let local = ValueFormat(zone: Self.summer)
    #expect(ValueFormat().time(Self.time) == "2009-07-24 10:47:06Z")
    #expect(local.time(Self.time) == "2009-07-24 12:47:06 CEST")
    #expect(local.minute(Self.time) == "2009-07-24 12:47 CEST")
    #expect(local.clock(Self.time) == "12:47" && local.zoneName(at: Self.time) == "CEST")
    let west = ValueFormat(zone: .fixed(offsetSeconds: -39_600, abbreviation: "SST"))
    #expect(west.time(Self.time) == "2009-07-23 23:47:06 SST")
    #expect(west.date(of: Self.time).civil.day == 23)
    let coarse = local.coarse(UTCTime(secondsSince1970: 1_248_432_300))
    #expect(coarse == "2009-07-24 12:45:00 CEST or up to 15 min later")
  }

  @Test(arguments: [Int64.min, .max])
  func `a time near the limits of the calendar does not trap`(_ seconds: Int64) {
    let time = UTCTime(secondsSince1970: seconds)
    for zone in [LocalZone.utc, Self.summer, .system] {
      #expect(!ValueFormat(zone: zone).time(time).isEmpty)
    }
  }

  @Test(arguments: [
    (1970, 1, 1, "Thu 1970-01-01"), (2026, 11, 21, "Sat 2026-11-21"),
    (1969, 12, 31, "Wed 1969-12-31"), (2000, 2, 29, "Tue 2000-02-29"),
  ])
  func `a date has its weekday`(_ year: Int, _ month: Int, _ day: Int, _ text: String) throws {
    #expect(ValueFormat.day(try #require(UTCDate(year: year, month: month, day: day))) == text)
  }

  @Test func `a place far away has its distance in the reader's units`() throws {
    let coordinate = try #require(Coordinate(latitudeDegrees: 38.5, longitudeDegrees: -28.6))
    var place = Place(id: 1, title: "Horta", coordinate: coordinate)
    (place.distanceMeters, place.bearingDegreesTrue) = (623_000, 250)
    #expect(ValueFormat().title(of: place) == "623 km WSW of Horta")
    #expect(ValueFormat(units: .imperial).title(of: place) == "387 mi WSW of Horta")
    #expect(ValueFormat(units: .nautical).title(of: place) == "336 nmi WSW of Horta")
  }
}
