// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Positioning

@Suite struct NMEAEpochTests {
  /// A three-dimensional fix at 2026-11-23T12:00:00.25Z with all values that the sentences have.
  private static func fix() -> Fix {
    var fix = Fix.at(53.361_336, -6.505_620)
    fix.time = UTCTime(secondsSince1970: 1_795_435_200, nanosecond: 250_000_000)
    fix.altitudeMetersAboveSeaLevel = 61.7
    fix.geoidSeparationMeters = 55.2
    fix.speedMetersPerSecond = 5
    fix.courseDegreesTrue = 359.996
    fix.magneticVariationDegrees = -3.5
    fix.dilution.position = 1.83
    fix.dilution.horizontal = 1.03
    fix.dilution.vertical = 1.47
    fix.satellitesUsed = 8
    fix.status = .autonomous
    return fix
  }

  private static func sky(_ used: [(SatelliteID.System, UInt8)]) -> SkyView {
    var sky = SkyView()
    for (system, number) in used {
      var satellite = Satellite(id: SatelliteID(system: system, number: number), rawNumber: 1)
      satellite.isUsed = true
      sky.satellites += [satellite, satellite]  // Two signals.
    }
    sky.satellites.append(Satellite(id: SatelliteID(system: .navic, number: 1), rawNumber: 1))
    return sky
  }

  /// Returns the sentences without checksum and line ending.
  private static func bodies(_ fix: Fix, _ sky: SkyView? = nil) -> [String] {
    let text = String(decoding: NMEAEpoch.sentences(of: fix, sky: sky), as: UTF8.self)
    return text.split(separator: "\r\n").map { String($0.dropFirst().dropLast(3)) }
  }

  @Test func `an epoch with one satellite system has the talker of that system`() {
    let lines = Self.bodies(Self.fix(), Self.sky([(.gps, 7), (.sbas, 123)]))
    #expect(
      lines == [
        "GPGGA,120000.25,5321.68016,N,00630.33720,W,1,08,1.03,61.70,M,55.20,M,,",
        "GPRMC,120000.25,A,5321.68016,N,00630.33720,W,9.719,0.00,231126,3.5,W,A",
        "GPGSA,A,3,07,36,,,,,,,,,,,1.83,1.03,1.47,1",
        "GPVTG,0.00,T,,M,9.719,N,18.000,K,A",
      ])
    let galileo = Self.bodies(Self.fix(), Self.sky([(.galileo, 36)]))
    #expect(galileo.allSatisfy { $0.hasPrefix("GA") })
  }

  @Test func `an epoch with several satellite systems has the talker GN and one GSA per system`() {
    let used: [(SatelliteID.System, UInt8)] = [
      (.beidou, 63), (.glonass, 24), (.gps, 32), (.qzss, 1), (.imes, 1), (.sbas, 158),
    ]
    let lines = Self.bodies(Self.fix(), Self.sky(used))
    #expect(lines.allSatisfy { $0.hasPrefix("GN") })
    #expect(
      lines.filter { $0.hasPrefix("GNGSA") } == [
        "GNGSA,A,3,32,,,,,,,,,,,,1.83,1.03,1.47,1",
        "GNGSA,A,3,88,,,,,,,,,,,,1.83,1.03,1.47,2",
        "GNGSA,A,3,63,,,,,,,,,,,,1.83,1.03,1.47,4",
        "GNGSA,A,3,01,,,,,,,,,,,,1.83,1.03,1.47,5",
      ])
  }

  @Test func `a GSA has at most twelve satellites`() {
    let used = (1...20).map { (SatelliteID.System.gps, UInt8($0)) }
    let gsa = Self.bodies(Self.fix(), Self.sky(used)).filter { $0.hasPrefix("GPGSA") }
    #expect(gsa == ["GPGSA,A,3,01,02,03,04,05,06,07,08,09,10,11,12,1.83,1.03,1.47,1"])
  }

  @Test func `a reduced fix gives valid sentences with empty fields and an unknown dilution`() {
    let time = UTCTime(secondsSince1970: 1_795_435_200)
    #expect(
      Self.bodies(.at(-53.4, 179.999_999_99, mode: .twoDimensional, time: time)) == [
        "GPGGA,120000.00,5324.00000,S,18000.00000,E,1,,99.99,,M,,M,,",
        "GPRMC,120000.00,A,5324.00000,S,18000.00000,E,,,231126,,,A",
        "GPGSA,A,2,,,,,,,,,,,,,,,", "GPVTG,,T,,M,,N,,K,A",
      ])
  }

  @Test func `an epoch without a position is marked as not valid and has no satellites`() {
    var fix = Fix.at(1, 2, mode: .none)
    #expect(
      Self.bodies(fix, Self.sky([(.gps, 7)])) == [
        "GPGGA,,,,,,0,,99.99,,,,,,", "GPRMC,,V,,,,,,,,,,N",
        "GPGSA,A,1,,,,,,,,,,,,,,,", "GPVTG,,,,,,,,,N",
      ])
    fix.time = UTCTime(secondsSince1970: 1_795_435_200, nanosecond: 123_000_000)
    fix.satellitesUsed = 3
    let lines = Self.bodies(fix)
    #expect(lines[0] == "GPGGA,120000.123,,,,,0,03,99.99,,,,,,")
    #expect(lines[1] == "GPRMC,120000.123,V,,,,,,,231126,,,N")
  }

  @Test(arguments: [
    (nil, "1", "A"), (FixStatus.autonomous, "1", "A"), (.combined, "1", "A"),
    (.differential, "2", "D"), (.precisePositioning, "3", "P"), (.rtkFixed, "4", "R"),
    (.rtkFloat, "5", "F"), (.deadReckoning, "6", "E"), (.surveyed, "7", "M"),
    (.simulated, "8", "S"),
  ])
  func `GGA and RMC state the method by which the position was obtained`(
    status: FixStatus?, quality: String, indicator: String
  ) {
    var fix = Self.fix()
    fix.status = status
    let lines = Self.bodies(fix).map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(lines[0][6] == quality)
    #expect(lines[1].last?.description == indicator)
    #expect(lines[3].last?.description == indicator)
    fix.isSimulated = true
    #expect(Self.bodies(fix)[1].hasSuffix(",S"))
  }

  @Test func `sentences with the longest values have at most 82 characters`() {
    var fix = Self.fix()
    fix.time = UTCTime(secondsSince1970: 1_795_435_200, nanosecond: 999_999_999)
    fix.coordinate = Coordinate.at(-89.999_999, -179.999_999)
    fix.altitudeMetersAboveSeaLevel = -19_999.99
    fix.geoidSeparationMeters = -999.99
    fix.speedMetersPerSecond = 51_444
    fix.courseDegreesTrue = 359.99
    fix.magneticVariationDegrees = -180
    fix.dilution.horizontal = 99.98
    fix.satellitesUsed = 512
    fix.correctionAgeSeconds = 1000
    let lines = Self.bodies(fix)
    #expect(lines[0] == "GPGGA,120000.999,8959.99994,S,17959.99994,W,1,99,99.98,-20000.0,M,-1000,M,,")
    #expect(lines[1].utf8.count + 6 <= SentenceWriter.maxSentenceBytes)
    #expect(lines.allSatisfy { $0.utf8.count + 6 <= SentenceWriter.maxSentenceBytes })
    fix.altitudeMetersAboveSeaLevel = 5
    #expect(Self.bodies(fix)[0].hasSuffix(",5.00,M,-1000,M,1000,"))
    fix.altitudeMetersAboveSeaLevel = 123_456_789
    #expect(Self.bodies(fix)[0].hasSuffix(",,M,-1000,M,1000,"))
  }
}
