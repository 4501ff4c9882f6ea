// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("GNS")
struct GNSTests {
  @Test func `GNS: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GNGNS,170600.000,4111.59880,N,11156.56667,W,AANN,21,0.53,01443.9,-016.5,,*54\r\n")
    let fields = try #require(reading.gns)
    #expect(fields.time == TimeOfDay(hour: 17, minute: 6, second: 0))
    #expect(fields.latitudeDegrees == 41.193313333333336)
    #expect(fields.longitudeDegrees == -111.94277783333334)
    #expect(fields.modes == 0x41414E4E)
    #expect(fields.bestMode == .autonomous)
    #expect(fields.satellitesUsed == 21)
    #expect(fields.horizontalDilution == 0.53)
    #expect(fields.altitudeMetersAboveSeaLevel == 1443.9)
    #expect(fields.geoidSeparationMeters == -16.5)
    #expect(fields.correctionAgeSeconds == nil)
    #expect(fields.stationNumber == nil)
    #expect(fields.navigationalStatus == nil)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GNS: the fields about corrections and the navigational status are read`() throws {
    let reading = read(
      "GNGNS,170600.000,4111.59880,N,11156.56667,W,NRDFNN,21,0.53,1443.9,-16.5,1.2,0042,S")
    let fields = try #require(reading.gns)
    #expect(fields.modes == 0x4E5244464E4E)
    #expect(fields.bestMode == .rtkFixed)
    #expect(fields.correctionAgeSeconds == 1.2)
    #expect(fields.stationNumber == 42)
    #expect(fields.navigationalStatus == UInt8(ascii: "S"))
    #expect(reading.errors.isEmpty)
  }

  @Test func `GNS: empty fields are unknown and cause no error`() throws {
    let reading = read("GNGNS,,,,,,,,,,,,,")
    let fields = try #require(reading.gns)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw(
      "GNGNS,170600,4111.5,N,11156.5,W,AANN,21.x,0.53,1443.9,-16.5,,", .malformedNumber, field: 7,
      "21.x"),
    Flaw(
      "GNGNS,170600,4111.5,N,11156.5,W,AANN,21,0.53,1443.9,-16.5,,,SS", .unexpectedLetter,
      field: 13, "SS", refused: true),
  ])
  func `GNS: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `GNS: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GNGNS,170600.000,4111.59880,N,11156.56667,W,AANN").gns))
        == ["time", "_latitudeDegrees", "_longitudeDegrees", "modes"])
  }

  @Test(arguments: [
    Flaw(
      "GNGNS,170600.000,4111.59880,N,11156.56667", .unexpectedLetter, field: 5, "", refused: true)
  ])
  func `GNS: a position without its hemisphere is refused`(flaw: Flaw) { flaw.check() }

  @Test(arguments: [
    ("N", ModeIndicator.notValid), ("NNS", .simulator), ("SM", .manual), ("ME", .estimated),
    ("EAN", .autonomous), ("AD", .differential), ("DP", .precise), ("PF", .rtkFloat),
    ("FRN", .rtkFixed), ("?", ModeIndicator(rawValue: 0x3F)),
  ])
  func `GNS: bestMode is the best mode of all systems`(modes: String, best: ModeIndicator) throws {
    let fields = try #require(read("GNGNS,,,,,,\(modes),,,,,,,").gns)
    #expect(fields.bestMode == best)
  }
}
