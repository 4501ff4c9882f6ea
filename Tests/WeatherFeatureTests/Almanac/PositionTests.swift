// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import WeatherFeature

/// Worked examples of Meeus, "Astronomical Algorithms", 2nd edition.
///
/// They are 12.a and 12.b for sidereal time, 25.a for the sun, and 47.a for the moon. Example 48.a, the lit part of the moon, is in
/// `MoonPhaseTests`.
@Suite("Positions of sun and moon")
struct PositionTests {
  /// The moment at which Terrestrial Time reads so.
  private func terrestrial(_ text: UTCTime, leadSeconds: Double) -> AstronomicalTime {
    AstronomicalTime(seconds: Double(text.secondsSince1970) - leadSeconds)
  }

  @Test("sidereal time: examples 12.a and 12.b")
  func siderealTime() {
    // 12.a, apparent: 13h 10m 46.1351s; 12.b, mean: 8h 34m 57.0896s and a nutation of a second.
    let first = AstronomicalTime("1987-04-10T00:00:00" as UTCTime).siderealDegrees.turned
    #expect(abs(first - (13 + 10 / 60.0 + 46.1351 / 3600) * 15) < 0.0005)
    let second = AstronomicalTime("1987-04-10T19:21:00" as UTCTime).siderealDegrees.turned
    #expect(abs(second - 128.737_873_3) < 0.005)
  }

  @Test("the sun: example 25.a")
  func sun() {
    let sun = SunPosition(at: terrestrial("1992-10-13T00:00:00", leadSeconds: 59))
    #expect(abs(sun.longitudeDegrees - 199.908_95) < 0.0005)
    #expect(abs(sun.rightAscension.degrees.turned - 198.380_83) < 0.0005)
    #expect(abs(sun.declination.degrees + 7.785_07) < 0.0005)
    #expect(abs(sun.distanceKilometers / 149_597_870.7 - 0.997_66) < 0.00001)
  }

  @Test("the moon: example 47.a")
  func moon() {
    let moon = MoonPosition(at: terrestrial("1992-04-12T00:00:00", leadSeconds: 59))
    #expect(abs(moon.longitudeDegrees - 133.167_265) < 0.03)
    #expect(abs(moon.latitudeDegrees + 3.229_126) < 0.03)
    #expect(abs(moon.distanceKilometers - 368_409.7) < 100)
  }
}
