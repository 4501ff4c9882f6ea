// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import WeatherFeature

@Suite("Moon phase")
struct MoonPhaseTests {
  /// The values are computed with PyEphem 4.2.1, which shares no formulas with the code under test.
  @Test(
    arguments: [
      ("1900-01-15T00:00:00", 171.04, 99.35), ("1935-10-01T06:00:00", 39.09, 11.36),
      ("1950-07-01T00:00:00", 195.86, 97.95), ("1969-07-20T20:17:00", 69.96, 32.99),
      ("1987-04-10T00:00:00", 130.67, 82.60), ("1992-04-12T00:00:00", 110.83, 67.87),
      ("2000-01-21T04:40:00", 179.99, 100.00), ("2012-06-04T11:03:00", 179.91, 99.99),
      ("2024-04-08T18:20:00", 359.99, 0.00), ("2026-11-21T12:00:00", 137.81, 87.02),
      ("2060-05-05T00:00:00", 61.36, 26.22), ("2099-12-31T00:00:00", 223.86, 86.09),
    ] as [(UTCTime, Double, Double)])
  func `elongation and illumination of the moon agree with PyEphem`(
    time: UTCTime, elongation: Double, illumination: Double
  ) throws {
    let phase = try #require(MoonPhase(at: time))
    let difference = (phase.elongationDegrees - elongation).remainder(dividingBy: 360)
    #expect(abs(difference) < 0.1)
    #expect(abs(phase.illuminationPercent - illumination) < 0.15)
  }

  /// In example 48.a of Meeus, "Astronomical Algorithms", 67.86 % of the disk is illuminated.
  @Test func `the illumination of the moon agrees with example 48.a of the textbook by Meeus`() throws {
    let phase = try #require(MoonPhase(at: "1992-04-11T23:59:01"))
    #expect(abs(phase.illuminationPercent - 67.86) < 0.05)
  }

  /// The new and full moons are the eclipses of 8 April 2024 and 7 September 2025.
  ///
  /// The other times are computed with PyEphem.
  @Test(
    arguments: [
      ("2024-04-08T18:18:00", .new), ("2025-09-07T18:12:00", .full),
      ("2026-12-17T05:43:00", .firstQuarter), ("2026-12-01T06:09:00", .lastQuarter),
      ("2026-12-13T00:00:00", .waxingCrescent), ("2026-11-21T12:00:00", .waxingGibbous),
      ("2026-11-27T12:00:00", .waningGibbous), ("2026-12-05T00:00:00", .waningCrescent),
    ] as [(UTCTime, MoonPhase.Name)])
  func `the moon phase has the expected name at eight reference times`(time: UTCTime, name: MoonPhase.Name) {
    #expect(MoonPhase(at: time)?.name == name)
  }

  @Test func `moon phases repeat every synodic month, and all values are in range`() throws {
    var previous = try #require(MoonPhase(at: "1900-01-01T00:00:00"))
    var months = 0
    let start: UTCTime = "1900-01-01T00:00:00"
    for day in 1..<73_000 where day % 3 == 0 {
      let phase = try #require(MoonPhase(at: start.adding(seconds: Int64(day) * 86_400)))
      if phase.elongationDegrees < previous.elongationDegrees { months += 1 }
      if !(0..<360).contains(phase.elongationDegrees)
        || !(0...100).contains(phase.illuminationPercent)
      {
        Issue.record("\(day): \(phase)")
      }
      previous = phase
    }
    // A synodic month has 29.530589 days.
    #expect(abs(Double(months) - 73_000 / 29.530_589) < 2)
    #expect(MoonPhase(at: "1899-12-31T23:59:59") == nil)
  }
}

@Suite("Almanac")
struct AlmanacTests {
  /// The times are near sunrise and sunset in Greenwich on 11 August 1999, see `ReferenceSolarDay`.
  @Test(
    arguments: [
      ("1999-08-11T02:07:00", .night), ("1999-08-11T04:38:00", .night),
      ("1999-08-11T04:38:40", .day), ("1999-08-11T19:30:50", .day),
      ("1999-08-11T19:31:20", .night), ("1999-08-11T22:01:00", .night),
    ] as [(UTCTime, Almanac.Light)])
  func `the almanac distinguishes day and night`(time: UTCTime, light: Almanac.Light) throws {
    let almanac = try #require(Almanac(of: time, at: .at(51.4769, 0)))
    #expect(almanac.light == light)
    #expect(almanac.day == SolarDay(of: time, at: .at(51.4769, 0)))
    #expect(almanac.moon.name == .new)
  }
}
