// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Rules for conflicting sentences of one epoch, tested with sentences of real receivers.
@Suite struct DecodingRuleTests {
  private func decode(_ bodies: [String]) -> DecoderFixture {
    var fixture = DecoderFixture()
    fixture.send(bodies)
    fixture.finish()
    return fixture
  }

  private static let rmc =
    "GPRMC,195719,A,5251.0093,N,00518.8170,E,5.6,230.5,160414,1.4,E,A"

  @Test(arguments: [
    ("GPZDA,195719,16,04,14,-02,00", "2014-4-16"), ("GPZDA,195719,16,04,0000,00,00", "2014-4-16"),
    ("GPZDA,195719,22,08,1999,00,00", "2014-4-16"),
  ])
  func `the date of RMC has priority over the date of ZDA`(zda: String, day: String) {
    for order in [[Self.rmc, zda], [zda, Self.rmc]] {
      #expect(decode(order).fixes.map(stamp) == ["\(day) 19:57:19"], "\(order)")
    }
  }

  @Test(arguments: [
    ("GPZDA,195719,16,04,14,-02,00", "2014-4-16 19:57:19"),
    ("GPZDA,195719,16,04,2014,-02,00", "2014-4-16 19:57:19"),
    ("GPZDA,195719,16,04,99,,", "1999-4-16 19:57:19"),
    ("GPZDA,195719,16,04,0000,00,00", "no time"), ("GPZDA,195719,16,04,0014,00,00", "no time"),
    ("GPZDA,195719,16,04,1979,00,00", "no time"), ("GPZDA,195719,16,04,2201,00,00", "no time"),
  ])
  func `the date of a cycle without RMC comes from ZDA if ZDA's year is from 1980 to 2200`(
    zda: String, expected: String
  ) {
    let gga = "GPGGA,195719,5251.0094,N,00518.8172,E,1,11,0.60,-4,M,46.8,M,,"
    #expect(decode([gga, zda]).fixes.map(stamp) == [expected])
  }

  @Test func `an implausible ZDA year does not affect the dates of later epochs`() {
    let fixture = decode([
      Self.rmc, "GPZDA,195719,22,08,1999,00,00",
      "GPGGA,195720,5251.0094,N,00518.8172,E,1,11,0.60,-4,M,46.8,M,,",
    ])
    #expect(fixture.fixes.map(stamp) == ["2014-4-16 19:57:19", "2014-4-16 19:57:20"])
  }

  @Test func `an implausible altitude in GGA is dropped, and the fix is kept`() throws {
    let gga = "GPGGA,195719,5251.0094,N,00518.8172,E,1,11,0.60,1000000000,M,46.8,M,,"
    let fix = try #require(decode([Self.rmc, gga]).fixes.first)
    #expect(fix.altitudeMetersAboveSeaLevel == nil && fix.altitudeMetersAboveEllipsoid == nil)
    #expect(fix.coordinate != nil && fix.mode == .twoDimensional)
    #expect(fix.satellitesUsed == 11)
  }

  @Test func `VTG does not override RMC's speed and course`() {
    let vtg = "GPVTG,133.3,T,131.9,M,82.2,N,152.2,K,A"
    for order in [[Self.rmc, vtg], [vtg, Self.rmc]] {
      let fix = decode(order).fixes.first
      #expect(fix?.speedMetersPerSecond == 56.0 * 463 / 9000)
      #expect(fix?.courseDegreesTrue == 230.5)
    }
  }

  @Test func `VTG provides the course if RMC's course is empty`() {
    let fix = decode([
      "GNRMC,001031.00,A,4404.13993,N,12118.86023,W,0.146,,100117,,,A",
      "GNVTG,220.86,T,,M,2.550,N,4.724,K,A",
    ]).fixes.first
    #expect(fix?.courseDegreesTrue == 220.86)
    #expect(fix?.speedMetersPerSecond == 146.0 * 463 / 900_000)
  }

  @Test func `the horizontal dilution of GGA has priority over the dilution of GSA`() {
    let gga = "GNGGA,203452.000,4215.07755,N,08811.88588,W,2,15,0.5,233.47,M,-34.1,M,,"
    let gsa = "GNGSA,A,3,87,78,88,77,71,79,65,81,,,,,1.6,1.2,0.9"
    for order in [[gga, gsa], [gsa, gga]] {
      let fix = decode(order).fixes.first
      #expect(fix?.dilution.horizontal == 0.5)
      #expect(fix?.dilution.vertical == 0.9)
    }
    #expect(decode([Self.rmc, gsa]).fixes.first?.dilution.horizontal == 1.2, "without GGA")
  }

  @Test(arguments: [("4", FixStatus.rtkFixed), ("5", .rtkFloat), ("2", .differential)])
  func `the status of GGA has priority over mode D of RMC and GLL, in any order`(quality: String, status: FixStatus) {
    let gga = "GNGGA,040406.00,2447.1206,N,12100.8396,E,\(quality),15,0.6,95.2,M,19.6,M,1.0,0000"
    let rmc = "GNRMC,040406.00,A,2447.1206,N,12100.8396,E,000.0,000.0,150720,,,D"
    let gll = "GNGLL,2447.1206,N,12100.8396,E,040406.00,A,D"
    for order in [[gga, rmc, gll], [rmc, gll, gga], [rmc, gga, gll]] {
      #expect(decode(order).fixes.map(\.status) == [status], "\(order)")
    }
  }

  @Test(arguments: [("R", FixStatus.rtkFixed), ("F", .rtkFloat)])
  func `an RTK mode of RMC or GNS has priority over quality 2 of GGA`(mode: String, status: FixStatus) {
    let gga = "GNGGA,040406.00,2447.1206,N,12100.8396,E,2,15,0.6,95.2,M,19.6,M,1.0,0000"
    let rmc = "GNRMC,040406.00,A,2447.1206,N,12100.8396,E,000.0,000.0,150720,,,\(mode)"
    let gns = "GNGNS,040406.00,2447.1206,N,12100.8396,E,A\(mode),15,0.6,95.2,19.6,,"
    for order in [[rmc, gga], [gga, rmc], [gns, gga], [gga, gns]] {
      #expect(decode(order).fixes.map(\.status) == [status], "\(order)")
    }
  }

  @Test func `GBS, GST and GSA without other sentences do not make an epoch`() {
    let fixture = decode([
      "GPRMC,112256.00,A,4717.1144,N,00833.9151,E,0.5,084.4,160414,,,A",
      "GPGBS,112257.00,123.204,0.490,75.521,23,0.000,0.000,0.000",
      "GPGST,112257.00,0.387,317.719,3.872,1.791,317.563,10.659,180.746",
      "GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,0.9,1.5",
      "GPRMC,112258.00,A,4717.1144,N,00833.9151,E,0.5,084.4,160414,,,A",
    ])
    #expect(fixture.fixes.map(stamp) == ["2014-4-16 11:22:56", "2014-4-16 11:22:58"])
    #expect(decode(["GPGSA,A,1,,,,,,,,,,,,,,,"]).fixes.isEmpty)
  }

  @Test func `a time of another talker under 5 s before the epoch starts no epoch and counts as late`() {
    let fixture = decode([
      "GPGGA,094739,5251.0085,N,00518.8148,E,1,11,0.60,-4,M,46.8,M,,",
      "GPRMC,094739,A,5251.0085,N,00518.8148,E,5.6,230.5,200818,1.4,E,A",
      "IIGLL,5251.0093,N,00518.8170,E,094737,A,A",
      "GPGLL,5251.0085,N,00518.8148,E,094739,A,A",
      "IIGLL,5251.0089,N,00518.8159,E,094738,A,A",
      "GPGGA,094740,5251.0080,N,00518.8140,E,1,11,0.60,-4,M,46.8,M,,",
    ])
    #expect(fixture.fixes.map(stamp) == ["2018-8-20 9:47:39", "2018-8-20 9:47:40"])
    #expect(fixture.decoder.counters.lateReports == 2)
    #expect(fixture.fixes.first?.coordinate?.latitudeDegrees == 52 + 51.0085 / 60)
  }

  @Test func `after midnight, a time of another talker from before midnight starts no epoch`() {
    let fixture = decode([
      "GPRMC,000001,A,5251.0085,N,00518.8148,E,5.6,230.5,210818,1.4,E,A",
      "IIGLL,5251.0093,N,00518.8170,E,235959,A,A",
      "GPRMC,000002,A,5251.0085,N,00518.8148,E,5.6,230.5,210818,1.4,E,A",
    ])
    #expect(fixture.fixes.map(stamp) == ["2018-8-21 0:0:1", "2018-8-21 0:0:2"])
  }

  @Test func `a time that is 5 s earlier (another talker) or 2 s earlier (same talker) starts an epoch`() {
    for back in [
      "IIGLL,5251.0093,N,00518.8170,E,094734,A,A", "GPGLL,5251.0093,N,00518.8170,E,094737,A,A",
    ] {
      let fixture = decode(["GPGLL,5251.0085,N,00518.8148,E,094739,A,A", back])
      #expect(fixture.fixes.count == 2, "\(back)")
    }
  }

  @Test func `a magnetic variation above 180 degrees is dropped`() {
    let fix = decode(["GPRMC,094737,A,5251.0093,N,00518.8170,E,5.6,230.5,200818,999.9,E,A"]).fixes
      .first
    #expect(fix?.magneticVariationDegrees == nil)
    #expect(fix?.courseDegreesTrue == 230.5)
  }

  @Test func `the number of used satellites is taken from GSA if GGA reports 12 and GSA lists more`() {
    let first = "GNGSA,A,3,05,25,12,29,31,20,21,,,,,,1.71,1.01,1.38"
    let second = "GNGSA,A,3,80,70,73,79,69,71,,,,,,,1.71,1.01,1.38"
    let gga = "GNGGA,000941.00,4404.13387,N,12118.85628,W,1,12,1.01,1144.8,M,-21.4,M,,"
    #expect(decode([gga, first, second]).fixes.first?.satellitesUsed == 13)
    #expect(decode([first, second, gga]).fixes.first?.satellitesUsed == 13)
    #expect(decode([gga, first, first]).fixes.first?.satellitesUsed == 12, "repeated GSA")
    let eleven = gga.replacing("1,12,1.01", with: "1,11,1.01")
    #expect(decode([eleven, first, second]).fixes.first?.satellitesUsed == 11)
  }

  @Test func `a GSV before the first epoch produces a separate sky view`() {
    let fixture = decode([
      "GPGSV,1,1,02,03,03,074,37,05,17,308,41",
      "GPGGA,022021.000,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
      "GPGSV,1,1,01,05,17,308,42",
    ])
    #expect(fixture.skies.map { $0.satellites.map(\.id.number) } == [[3, 5], [5]])
    #expect(fixture.skies.map(\.usedCount) == [0, 0])
  }

  @Test func `a GSV list repeated within an epoch keeps the used satellites and their count`() {
    let fixture = decode([
      "GPGGA,120001,4807.038,N,01131.000,E,1,08,9.9,545.4,M,46.9,M,,",
      "GNGSA,A,3,05,25,12,29,31,20,21,,,,,,1.71,1.01,1.38",
      "GNGSA,A,3,80,70,73,79,69,71,,,,,,,1.71,1.01,1.38",
      "GPGGA,120002,4807.038,N,01131.000,E,1,12,1.0,545.4,M,46.9,M,,",
      "GNGSA,A,3,05,25,12,29,31,20,21,,,,,,1.71,1.01,1.38",
      "GPGSV,1,1,01,05,17,308,41", "GPGSV,1,1,01,05,17,308,42",
      "GNGSA,A,3,80,70,73,79,69,71,,,,,,,1.71,1.01,1.38",
    ])
    #expect(fixture.fixes.map(\.satellitesUsed) == [8, 13])
    #expect(fixture.skies.map(\.usedCount) == [1, 1])
    #expect(fixture.skies.map(\.dilution.horizontal) == [nil, 1.0])
  }

  @Test func `a GST with an earlier time neither completes nor starts an epoch`() {
    let fixture = decode([
      "GPRMC,120001,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A",
      "GPGST,120000,0.387,317.719,3.872,1.791,317.563,10.659,180.746",
      "GPGGA,120001,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
    ])
    #expect(fixture.fixes.map(stamp) == ["1994-3-23 12:0:1"])
    #expect(fixture.decoder.counters.lateReports == 1)
  }

  @Test func `a proprietary sentence does not count as another talker when the clock is set back`() {
    let fixture = decode([
      "PSRFEPE,120006.000,A,0.7,6.82,10.69,0.0,180.0",
      "GPGGA,120006,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
      "PUBX,00,120006.00,4807.038,N,01131.000,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0",
      "GPGGA,120004,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
    ])
    #expect(fixture.fixes.count == 2)
  }

  @Test func `RTK float has priority over RTK fixed in one epoch`() {
    let gga = "GNGGA,040406.00,2447.1206,N,12100.8396,E,5,15,0.6,95.2,M,19.6,M,1.0,0000"
    let rmc = "GNRMC,040406.00,A,2447.1206,N,12100.8396,E,000.0,000.0,150720,,,R"
    for order in [[gga, rmc], [rmc, gga]] {
      #expect(decode(order).fixes.map(\.status) == [.rtkFloat])
    }
  }

  @Test func `sentences whose times are up to 10 ms apart make one epoch`() {
    let fixture = decode([
      "GPGGA,120000.99,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
      "GPRMC,120001.00,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A",
      "GPGGA,120001.99,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
      "GPRMC,120002.00,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A",
    ])
    #expect(fixture.fixes.count == 2)
    #expect(fixture.fixes.allSatisfy { $0.mode == .threeDimensional && $0.courseDegreesTrue == 84.4 })
  }

  @Test func `the epochs of a 100 Hz receiver are not merged`() {
    let fixture = decode(
      (0..<5).flatMap { index in
        [
          "GPGGA,120000.0\(index),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
          "GPRMC,120000.0\(index),A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A",
        ]
      })
    #expect(fixture.fixes.count == 5)
  }
}
