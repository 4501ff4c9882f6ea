// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Decoding of recordings whose sentences without a time precede the timed sentences.
@Suite struct LeadingSentenceTests {
  /// Decodes a recording like `fixcast decode`: with a survey first.
  private func decode(_ bodies: [String]) -> DecoderFixture {
    var survey = RecordingSurvey()
    for body in bodies { survey.read(line(body).span) }
    var fixture = DecoderFixture(survey: survey)
    fixture.send(bodies)
    fixture.finish()
    return fixture
  }

  /// A cycle that starts with VTG, as recorded from an airborne receiver.
  private func cycle(_ second: Int, knots: String, course: String) -> [String] {
    [
      "GPVTG,\(course),T,,M,\(knots),N,,K,A",
      "GPRMC,11013\(second),A,4703.1234,N,01123.5678,E,\(knots),\(course),230711,,,A",
      "GPGGA,11013\(second),4703.1234,N,01123.5678,E,1,08,1.1,1545.4,M,46.9,M,,",
    ]
  }
  private let motion = [
    ("82.2", "133.3"), ("133.3", "82.2"), ("131.0", "83.1"), ("120.5", "90.0"), ("99.9", "101.5"),
  ]

  @Test func `a VTG with the motion of the following RMC belongs to the epoch of that RMC`() {
    let bodies = motion.enumerated().flatMap { cycle($0, knots: $1.0, course: $1.1) }
    // The epochs without RMC show which VTG was used.
    let fixture = decode(
      bodies + [
        "GPVTG,45.0,T,,M,50.0,N,,K,A",
        "GPGGA,110136,4703.1234,N,01123.5678,E,1,08,1.1,1545.4,M,46.9,M,,",
        "GPVTG,46.0,T,,M,60.0,N,,K,A",
        "GPGGA,110137,4703.1234,N,01123.5678,E,1,08,1.1,1545.4,M,46.9,M,,",
      ])
    #expect(fixture.fixes.count == 7)
    #expect(fixture.fixes.map(\.courseDegreesTrue).suffix(2) == [45, 46])
  }

  @Test func `a VTG with the motion of the preceding RMC belongs to the epoch of that RMC`() {
    let bodies = motion.enumerated().flatMap { index, motion in
      let sentences = cycle(index, knots: motion.0, course: motion.1)
      return [sentences[1], sentences[2], sentences[0]]
    }
    let fixture = decode(
      bodies + [
        "GPGGA,110136,4703.1234,N,01123.5678,E,1,08,1.1,1545.4,M,46.9,M,,",
        "GPVTG,45.0,T,,M,50.0,N,,K,A",
        "GPGGA,110137,4703.1234,N,01123.5678,E,1,08,1.1,1545.4,M,46.9,M,,",
        "GPVTG,46.0,T,,M,60.0,N,,K,A",
      ])
    #expect(fixture.fixes.map(\.courseDegreesTrue).suffix(2) == [45, 46])
  }

  @Test func `GSA and GSV before the timed sentences belong to the following epoch`() {
    var bodies: [String] = []
    for second in 0..<6 {
      bodies += [
        "GPGSA,A,3,0\(second + 1),25,12,29,31,20,21,,,,,,2.1,\(second + 1).1,1.8",
        "GPGSV,1,1,02,0\(second + 1),40,083,46,25,17,308,41",
        "GPGGA,11013\(second),4703.1234,N,01123.5678,E,1,08,\(second + 1).1,1545.4,M,46.9,M,,",
        "GPRMC,11013\(second),A,4703.1234,N,01123.5678,E,1.0,2.0,230711,,,A",
      ]
    }
    let fixture = decode(bodies)
    #expect(fixture.skies.count == 6)
    #expect(fixture.skies.map { $0.satellites.first?.id.number } == [1, 2, 3, 4, 5, 6])
    #expect(fixture.skies.map(\.usedCount) == [2, 2, 2, 2, 2, 2])
    #expect(fixture.skies.map(\.time) == fixture.fixes.map(\.time))
  }

  /// A cycle of equal dilutions in which the lists of satellites precede the timed sentences.
  private func stationaryCycle(_ second: Int) -> (timeless: [String], timed: [String]) {
    (
      [
        "GPGSV,2,1,05,0\(second + 1),40,083,46,25,17,308,41,12,20,100,30,29,30,200,31",
        "GPGSV,2,2,05,31,17,308,41",
        "GNGSA,A,3,0\(second + 1),25,12,29,31,,,,,,,,0.8,0.5,0.6,1",
        "PSSGR,GSA,A,2,6,,,,,,,,,,,,0.8,0.5,0.6,1,8",
        "GNVTG,,T,,M,0,N,0,K,A",
      ],
      [
        "GNRMC,18184\(second),A,5130.0000,N,08206.0000,W,0,,140621,3.1,W,A,V",
        "GNGGA,18184\(second),5130.0000,N,08206.0000,W,1,05,0.5,9.1,M,-24,M,,",
      ]
    )
  }

  @Test func `the sentences without a time that begin a recording belong to the following epoch`() {
    var bodies: [String] = []
    for second in 0..<4 {
      let cycle = stationaryCycle(second)
      bodies += cycle.timeless + cycle.timed
    }
    let fixture = decode(bodies)
    #expect(fixture.skies.count == 4)
    #expect(fixture.skies.map { $0.satellites.first?.id.number } == [1, 2, 3, 4])
    #expect(fixture.skies.map(\.usedCount) == [5, 5, 5, 5])
    #expect(fixture.skies.map(\.time) == fixture.fixes.map(\.time))
    #expect(fixture.skies.map(\.dilution.position) == [0.8, 0.8, 0.8, 0.8])
    #expect(fixture.fixes.map(\.satellitesUsed) == [5, 5, 5, 5])
  }

  @Test(arguments: [1, 2, 3, 4])
  func `a recording that begins within a cycle assigns the lists to the preceding epoch`(start: Int) {
    let first = stationaryCycle(0)
    var bodies = Array(first.timeless.dropFirst(start)) + first.timed
    for second in 1..<4 {
      let cycle = stationaryCycle(second)
      bodies += cycle.timeless + cycle.timed
    }
    let fixture = decode(bodies)
    #expect(fixture.skies.compactMap(\.satellites.first?.id.number).suffix(3) == [2, 3, 4])
    #expect(fixture.skies.last?.time == fixture.fixes[2].time)
  }

  @Test func `lists that follow the timed sentences belong to the preceding epoch`() {
    var bodies: [String] = []
    for second in 0..<4 {
      let cycle = stationaryCycle(second)
      bodies += cycle.timed + cycle.timeless
    }
    let fixture = decode(bodies)
    #expect(fixture.skies.map { $0.satellites.first?.id.number } == [1, 2, 3, 4])
    #expect(fixture.skies.map(\.time) == fixture.fixes.map(\.time))
  }

  @Test func `a GSA without a fix at the end of an epoch does not invalidate the epoch`() {
    let rmc = "GPRMC,110130,A,4703.1234,N,01123.5678,E,133.3,82.2,230711,,,A"
    let gga = "GPGGA,110130,4703.1234,N,01123.5678,E,1,08,1.1,1545.4,M,46.9,M,,"
    let gsaWithoutFix = "GPGSA,A,1,,,,,,,,,,,,,,,"
    let fixture = decode([
      rmc, gga, gsaWithoutFix, "GPRMC,110131,V,,,,,,,230711,,,N", "GPGGA,110131,,,,,0,,,,,,,,",
    ])
    #expect(fixture.fixes.map(\.mode) == [.threeDimensional, .none])
    let withoutGGA = decode([rmc, gsaWithoutFix])
    #expect(withoutGGA.fixes.map(\.mode) == [.none], "without GGA, GSA has priority")
  }

  @Test func `epochs before the first date of a recording get dates calculated back from that date`() {
    let fixture = decode([
      "GPGGA,235959,4703.1234,N,01123.5678,E,1,08,1.1,1545.4,M,46.9,M,,",
      "GPGGA,000000,4703.1234,N,01123.5678,E,1,08,1.1,1545.4,M,46.9,M,,",
      "GPRMC,000001,A,4703.1234,N,01123.5678,E,133.3,82.2,230711,,,A",
    ])
    #expect(fixture.fixes.map(stamp) == ["2011-7-22 23:59:59", "2011-7-23 0:0:0", "2011-7-23 0:0:1"])
  }

  @Test func `a ZDA or a repeater's time on the other side of midnight does not shift the dates`() {
    let gga = "4703.1234,N,01123.5678,E,1,08,1.1,1545.4,M,46.9,M,,"
    let rmc = "GPRMC,000001,A,4703.1234,N,01123.5678,E,133.3,82.2,230711,,,A"
    for between in [
      ["GPZDA,000000,23,07,2011,00,00", "GPGLL,4703.1234,N,01123.5678,E,235959,A,A"],
      ["GPGGA,000000,\(gga)", "IIGLL,4703.1234,N,01123.5678,E,235959,A,A"],
    ] {
      let fixture = decode(["GPGGA,235959,\(gga)"] + between + ["GPGGA,000000,\(gga)", rmc])
      #expect(fixture.fixes.map(stamp) == ["2011-7-22 23:59:59", "2011-7-23 0:0:0", "2011-7-23 0:0:1"])
    }
  }

  @Test func `the date of a valid RMC has priority over an earlier ZDA or RMC without a fix`() {
    let gga = "GPGGA,195718,4703.1234,N,01123.5678,E,1,08,1.1,1545.4,M,46.9,M,,"
    let rmc = "GPRMC,195720,A,4703.1234,N,01123.5678,E,133.3,82.2,160414,,,A"
    for early in ["GPZDA,195719,22,08,1999,00,00", "GPRMC,195719,V,,,,,,,060180,,,N"] {
      #expect(decode([gga, early, rmc]).fixes.first.map(stamp) == "2014-4-16 19:57:18")
    }
  }

  @Test func `an RMC without a time gets the time of the ZDA before or after it`() {
    let rmc = "GPRMC,,A,4703.1234,N,01123.5678,E,133.3,82.2,230711,,,A"
    let clocks = ["GPZDA,110130.00,23,07,2011,00,00", "GPZDA,110131.00,23,07,2011,00,00"]
    for bodies in [[rmc, clocks[0], rmc, clocks[1]], [clocks[0], rmc, clocks[1], rmc]] {
      #expect(decode(bodies).fixes.map(stamp) == ["2011-7-23 11:1:30", "2011-7-23 11:1:31"])
    }
  }

  @Test func `cycles with neither a time nor a fix yield fixes of mode none`() {
    let fixture = decode([
      "GPRMC,,V,,,,,,,,,,N", "GPGGA,,,,,,0,00,99.99,,,,,,", "GPRMC,,V,,,,,,,,,,N",
    ])
    #expect(fixture.fixes.map(\.mode) == [.none, .none])
    #expect(fixture.fixes.allSatisfy { $0.time == nil })
  }
}
