// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Assembly of recorded sentences into epochs.
@Suite struct EpochTests {
  @Test func `sentences of two talkers with the same time make one epoch`() throws {
    var fixture = DecoderFixture()
    fixture.send(
      "GPGGA,120000,4807.038,N,01131.000,E,1,05,0.9,545.4,M,46.9,M,,",
      "GLGGA,120000,4807.038,N,01131.000,E,1,04,1.9,545.4,M,46.9,M,,",
      "GNRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A")
    fixture.finish()
    #expect(fixture.fixes.map(stamp) == ["1994-3-23 12:0:0"])
    #expect(fixture.fixes.first?.mode == .threeDimensional)
  }

  @Test func `an epoch after midnight whose GGA precedes its RMC has the new date`() {
    var fixture = DecoderFixture()
    for (clock, date) in [("235959", "191126"), ("000000", "201126"), ("000001", "201126")] {
      fixture.send(
        "GPGGA,\(clock),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
        "GPRMC,\(clock),A,4807.038,N,01131.000,E,0.5,084.4,\(date),,,A")
    }
    fixture.finish()
    #expect(fixture.fixes.map(stamp) == ["2026-11-19 23:59:59", "2026-11-20 0:0:0", "2026-11-20 0:0:1"])
  }

  @Test func `an epoch after midnight without RMC has the new date`() {
    var fixture = DecoderFixture()
    fixture.send("GPRMC,235959,A,4807.038,N,01131.000,E,0.5,084.4,191126,,,A")
    fixture.send("GPGGA,000000,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
    fixture.finish()
    #expect(fixture.fixes.map(stamp) == ["2026-11-19 23:59:59", "2026-11-20 0:0:0"])
  }

  @Test func `a leap second is an epoch of its own`() {
    var fixture = DecoderFixture()
    for (clock, date) in [("235959", "311216"), ("235960", "311216"), ("000000", "010117")] {
      fixture.send("GPRMC,\(clock),A,4807.038,N,01131.000,E,0.5,084.4,\(date),,,A")
    }
    fixture.finish()
    #expect(fixture.fixes.map(stamp) == ["2016-12-31 23:59:59", "2016-12-31 23:59:60", "2017-1-1 0:0:0"])
    let times = fixture.fixes.compactMap(\.time)
    #expect(times == times.sorted())
  }

  @Test func `a repeated time does not start an epoch, but an earlier time starts an epoch`() {
    var fixture = DecoderFixture()
    for clock in ["120000", "120000", "120001", "115959"] {
      fixture.send("GPRMC,\(clock),A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A")
    }
    fixture.finish()
    #expect(fixture.fixes.map(stamp) == ["1994-3-23 12:0:0", "1994-3-23 12:0:1", "1994-3-23 11:59:59"])
  }

  @Test func `fixes without RMC get the date of ZDA, and have no time before the first date`() {
    var fixture = DecoderFixture()
    fixture.send("GPGGA,120000,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
    fixture.send("GPGGA,120001,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
    fixture.send("GPZDA,120001,23,03,1994,00,00")
    fixture.send("GPGGA,120002,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
    fixture.finish()
    #expect(fixture.fixes.map(stamp) == ["no time", "1994-3-23 12:0:1", "1994-3-23 12:0:2"])
  }

  @Test func `a ZDA with a later time than the position does not start an epoch`() {
    var fixture = DecoderFixture()
    for second in 1...3 {
      fixture.send("GPRMC,12000\(second),A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A")
      fixture.send("GPZDA,12000\(second + 2),23,03,1994,00,00")
    }
    fixture.finish()
    #expect(fixture.fixes.map(\.mode) == [.twoDimensional, .twoDimensional, .twoDimensional])
  }

  @Test func `a fix without GGA is two-dimensional and has no altitude`() {
    var fixture = DecoderFixture()
    fixture.send("GPRMC,120000,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W,A")
    fixture.finish()
    let fix = fixture.fixes.first
    #expect(fix?.mode == .twoDimensional)
    #expect(fix?.altitudeMetersAboveSeaLevel == nil)
    #expect(fix?.magneticVariationDegrees == -3.1)
    #expect(fix?.speedMetersPerSecond == 224.0 * 463 / 9000, "converted with one rounding")
  }

  @Test(arguments: [
    "GPRMC,120001,V,,,,,,,230394,,,N", "GPRMC,120001,V,4807.038,N,01131.000,E,,,230394,,,N",
    "GPGGA,120001,,,,,0,00,99.99,,,,,,", "GPGGA,120001,4807.038,N,01131.000,E,0,00,,,M,,M,,",
    "GNGNS,120001,,,,,NN,00,99.99,,,,", "GPGLL,4807.038,N,01131.000,E,120001,V,N",
  ])
  func `an invalid epoch has a time, mode none, and no position of an earlier epoch`(sentence: String) {
    var fixture = DecoderFixture()
    fixture.send("GPRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A")
    fixture.send(sentence)
    fixture.finish()
    #expect(fixture.fixes.map(stamp) == ["1994-3-23 12:0:0", "1994-3-23 12:0:1"])
    let last = fixture.fixes.last
    #expect(last?.mode == FixMode.none)
    #expect(last?.coordinate == nil && last?.altitudeMetersAboveSeaLevel == nil)
    #expect(last?.speedMetersPerSecond == nil && last?.courseDegreesTrue == nil)
  }

  @Test func `a fix that GSA reports as two-dimensional has no altitude`() {
    var fixture = DecoderFixture()
    fixture.send(
      "GPGGA,120000,4807.038,N,01131.000,E,1,05,0.9,545.4,M,46.9,M,,",
      "GPGSA,A,2,04,05,09,,,,,,,,,,2.5,1.3,")
    fixture.finish()
    #expect(fixture.fixes.first?.mode == .twoDimensional)
    #expect(fixture.fixes.first?.altitudeMetersAboveSeaLevel == nil)
  }

  @Test func `the altitude of GGA has priority over the whole feet of PGRMZ, in either order`() {
    let gga = "GPGGA,120000,4807.038,N,01131.000,E,1,08,0.9,695.4,M,46.9,M,,"
    for order in [[gga, "PGRMZ,2282,f,3"], [Self.rmc, "PGRMZ,2282,f,3", gga]] {
      var fixture = DecoderFixture()
      fixture.send(order)
      fixture.finish()
      #expect(fixture.fixes.first?.altitudeMetersAboveSeaLevel == 695.4)
    }
    var fixture = DecoderFixture()
    fixture.send("GPRMC,120000,A,4807.038,N,01131.000,E,,,230394,,,A", "PGRMZ,2282,f,3")
    fixture.finish()
    #expect(fixture.fixes.first?.altitudeMetersAboveSeaLevel == 2282.0 * 3048 / 10_000)
  }

  @Test func `positions on a datum other than WGS 84 are dropped`() {
    var fixture = DecoderFixture()
    fixture.send("GPDTM,999,,0.08,N,0.07,E,-47.7,W84")
    fixture.send("GPRMC,120000,A,4807.038,N,01131.000,E,,,230394,,,A")
    fixture.send("GPDTM,W84,,0.0,N,0.0,E,0.0,W84")
    fixture.send("GPRMC,120001,A,4807.038,N,01131.000,E,,,230394,,,A")
    fixture.finish()
    #expect(fixture.fixes.map(\.mode) == [.none, .twoDimensional])
    #expect(fixture.decoder.counters.foreignDatumPositions == 1)
  }

  private static let rmc = "GPRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A"
  private static let gga = "GPGGA,120000,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,"

  @Test(arguments: [
    "GLGGA,120000,,,,,0,00,,,M,,M,,",
    "GLGGA,120000,4807.100,N,01131.900,E,1,03,2.0,9.9,M,46.9,M,,",
  ])
  func `of the GGAs of two talkers, the better GGA is used, in any order`(worse: String) {
    for order in [
      [Self.rmc, Self.gga, worse], [Self.rmc, worse, Self.gga], [worse, Self.gga, Self.rmc],
    ] {
      var fixture = DecoderFixture()
      fixture.send(order)
      fixture.finish()
      #expect(fixture.fixes.map(\.mode) == [.threeDimensional], "\(order)")
      #expect(fixture.fixes.first?.satellitesUsed == 8)
      #expect(fixture.fixes.first?.dilution.horizontal == 0.9)
      #expect(fixture.fixes.first?.altitudeMetersAboveSeaLevel == 545.4)
    }
  }

  @Test(arguments: [
    [rmc, "GPGGA,120000,4807.038,N,01131.000,E,0,00,,,M,,M,,"],
    ["GPRMC,120000,V,4807.038,N,01131.000,E,0.5,084.4,230394,,,N", gga],
  ])
  func `an epoch is invalid if GGA or RMC reports that there is no fix, in any order`(sentences: [String]) {
    for order in [sentences, sentences.reversed()] {
      var fixture = DecoderFixture()
      fixture.send(order)
      fixture.finish()
      #expect(fixture.fixes.map(\.mode) == [FixMode.none], "\(order)")
      #expect(fixture.fixes.first?.coordinate == nil)
    }
  }

  @Test func `a cycle without a time is not merged with the following timed cycle`() {
    var fixture = DecoderFixture()
    fixture.send("GPGGA,,,,,,0,,,,M,,M,,", "GPVTG,,T,,M,,N,,K,N", Self.gga, "GPVTG,84.4,T,,M,0.5,N,0.9,K,A")
    fixture.send("GPGGA,120001,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,", "GPVTG,90.0,T,,M,0.5,N,0.9,K,A")
    fixture.finish()
    #expect(fixture.fixes.map(\.mode) == [.none, .threeDimensional, .threeDimensional])
    #expect(fixture.fixes.map(\.courseDegreesTrue) == [nil, 84.4, 90])
  }

  @Test func `mode S marks one epoch as simulated, and the TXT announcement marks all later epochs`() {
    var fixture = DecoderFixture()
    fixture.send(
      "GPRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,S",
      "GPRMC,120001,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A",
      "GNTXT,01,01,02,FIXCAST SIMULATED RECEIVER",
      "GPRMC,120002,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A",
      "GPRMC,120003,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A")
    fixture.finish()
    // The announcement arrives while the second epoch is open, so the second epoch is marked, too.
    #expect(fixture.fixes.map(\.isSimulated) == [true, true, true, true])
    var unmarked = DecoderFixture()
    unmarked.send(
      "GPRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,S",
      "GPRMC,120001,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A")
    unmarked.finish()
    #expect(unmarked.fixes.map(\.isSimulated) == [true, false])
  }

  @Test(arguments: ["W84", "WGS84", "P90", ""])
  func `all names of WGS 84 in DTM are accepted`(datum: String) {
    var fixture = DecoderFixture()
    fixture.send("GPDTM,\(datum),,0.0,N,0.0,E,0.0,W84", Self.rmc)
    fixture.finish()
    #expect(fixture.fixes.first?.mode == .twoDimensional)
  }

  @Test func `a fix has no time if its date does not exist, and the date is counted as flawed`() {
    var fixture = DecoderFixture()
    fixture.send("GPRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,310226,,,A")
    fixture.finish()
    #expect(fixture.fixes.map(stamp) == ["no time"])
    #expect(fixture.decoder.counters.flawedFields == 1)
  }

  @Test func `a PGRMZ without an altitude does not invalidate the position`() {
    var fixture = DecoderFixture()
    fixture.send(Self.rmc, "PGRMZ,,f,1")
    fixture.finish()
    #expect(fixture.fixes.first?.mode == .twoDimensional)
  }
}
