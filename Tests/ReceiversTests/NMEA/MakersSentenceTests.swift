// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Proprietary sentences and their contribution to a fix.
@Suite struct MakersSentenceTests {
  private func decode(_ bodies: String...) -> DecoderFixture {
    var fixture = DecoderFixture()
    fixture.send(bodies)
    fixture.finish()
    return fixture
  }

  private let rmc = "GPRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A"
  private let gga = "GPGGA,120000,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,"

  @Test(arguments: ["WGS 84", "WGS84", "wgs 84 ", "NAD83   ", ""])
  func `positions are accepted if PGRMM states WGS 84, NAD83 or no datum`(datum: String) {
    #expect(decode("PGRMM,\(datum)", rmc).fixes.map(\.mode) == [.twoDimensional])
  }

  @Test(arguments: ["NAD27 CONUS", "European 1950", "Tokyo", "User"])
  func `positions after a PGRMM with another datum are dropped until PGRMM states WGS 84`(datum: String) {
    let fixture = decode(
      "PGRMM,\(datum)", rmc, "PGRMM,WGS 84",
      "GPRMC,120001,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A")
    #expect(fixture.fixes.map(\.mode) == [.none, .twoDimensional])
    #expect(fixture.decoder.counters.foreignDatumPositions == 1)
  }

  @Test func `the errors of position, altitude, speed and course are read from PSRFEPE`() throws {
    let fix = try #require(decode(gga, rmc, "PSRFEPE,120000.000,A,0.7,6.82,10.69,0.5,18.0").fixes.first)
    #expect(fix.horizontalAccuracy?.basis == .receiver)
    #expect(fix.verticalAccuracy?.basis == .receiver)
    // Converted from one standard deviation, or from 68 % of a circle, to 95 %.
    #expect(fix.horizontalAccuracy.map { abs($0.meters - 6.82 * 2.447_747 / 1.509_592) < 1e-9 } == true)
    #expect(fix.verticalAccuracy.map { abs($0.meters - 10.69 * 1.959_964) < 1e-9 } == true)
    #expect(fix.speedAccuracyMetersPerSecond == 0.5 * 1.959_964)
    #expect(fix.courseAccuracyDegrees == 18 * 1.959_964)
  }

  @Test func `a PSRFEPE without a fix is ignored and does not start an epoch`() {
    let fixture = decode(gga, "PSRFEPE,120000.000,V,,,,,")
    #expect(fixture.fixes.first?.horizontalAccuracy?.basis == .dilution)
    #expect(decode("PSRFEPE,074150.799,V,,,,,").fixes.isEmpty)
  }

  @Test func `the climb rate is read from PGRMV`() {
    #expect(decode(gga, rmc, "PGRMV,0.3,0.1,-1.5").fixes.first?.climbMetersPerSecond == -1.5)
  }
}
