// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PASHR")
struct PASHRTests {
  @Test func `PASHR: every field of a sentence is read`() throws {
    let reading = read("PASHR,085335.000,224.19,T,-01.26,+00.83,+00.00,0.101,0.113,0.267,1,0")
    let fields = try #require(reading.pashr)
    #expect(fields.headingDegreesTrue == 224.19)
    #expect(fields.rollDegrees == -1.26)
    #expect(fields.pitchDegrees == 0.83)
    #expect(fields.quality == 1)
    #expect(fields.inertialState == 0)
    #expect(reading.errors.isEmpty)
  }

  @Test func `PASHR: empty fields are unknown and cause no error`() throws {
    let reading = read("PASHR,,,,,,,,,,,")
    #expect(knownFields(of: try #require(reading.pashr)).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test func `PASHR: every field after the name ATT, AT2 or HPR is read`() throws {
    let reading = Reading("$PASHR,ATT,310080.0,248.57,+04.22,,0.0027,0.0000,0*2B\r\n")
    let fields = try #require(reading.pashr)
    #expect(fields.headingDegreesTrue == 248.57)
    #expect(fields.pitchDegrees == 4.22)
    #expect(fields.rollDegrees == nil)
    #expect(fields.ambiguityState == 0)
    #expect(fields.quality == nil && fields.inertialState == nil)
    #expect(reading.errors.isEmpty)
    let older = Reading(
      "$PASHR,AT2,562422.0000,254.6341,0.6977,0.1069,0.0028,0.0263,0,00,0.667,1.7814*65\r\n")
    #expect(older.pashr?.rollDegrees == 0.1069 && older.pashr?.ambiguityState == 0)
    let newer = read("PASHR,HPR,120000.00,180.5,,-1.5,0.002,0.01,7,0,1.800,1.2").pashr
    #expect(newer?.headingDegreesTrue == 180.5 && newer?.pitchDegrees == nil)
    #expect(newer?.rollDegrees == -1.5 && newer?.ambiguityState == 7)
    let empty = Reading("$PASHR,ATT,333631.0000,,,,,,*30\r\n")
    #expect(knownFields(of: try #require(empty.pashr)).isEmpty)
    #expect(older.errors.isEmpty && empty.errors.isEmpty)
  }

  @Test(arguments: [
    "PASHR,ACK", "PASHR,POS,1,10,185345.00,4717.1,N,00833.9,E,500", "PASHR,ATTX,1,2,3",
    "PASHR,ARA,1,2,3",
  ])
  func `PASHR: other sentences of this name are not supported, and cause no error`(body: String) {
    let reading = read(body)
    #expect(reading.unsupported == ["PASHR"])
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("PASHR,1,400,T,0,0", .outOfRange, field: 2, "400"),
    Flaw("PASHR,1,10,M,0,0", .unexpectedLetter, field: 3, "M", refused: true),
    Flaw("PASHR,1,10,T,-180.1,0", .outOfRange, field: 4, "-180.1"),
    Flaw("PASHR,ATT,1,360.1,0,0", .outOfRange, field: 3, "360.1"),
    Flaw("PASHR,HPR,1,10,91,0", .outOfRange, field: 4, "91"),
  ])
  func `PASHR: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }
}
