// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("MWV")
struct MWVTests {
  @Test func `MWV: every field of a real sentence is read`() throws {
    let reading = Reading("$WIMWV,59.0,R,13.0,N,A*2D\r\n")
    let fields = try #require(reading.mwv)
    #expect(fields.angleDegrees == 59)
    #expect(fields.reference == UInt8(ascii: "R"))
    #expect(fields.speedMetersPerSecond == 6.687777777777778)
    #expect(fields.status == UInt8(ascii: "A"))
    #expect(reading.errors.isEmpty)
  }

  @Test(
    arguments: [
      ("10.0,M", 10), ("36.0,K", 10), ("36.0,N", 18.52), ("10.0,", nil), ("10.0,S", nil),
      (",N", nil),
    ] as [(String, Double?)])
  func `MWV: the speed is converted from its unit, and is unknown without a unit`(fields: String, speed: Double?) throws
  {
    let reading = read("WIMWV,100.2,T,\(fields),A")
    #expect(try #require(reading.mwv).speedMetersPerSecond == speed)
    #expect(try #require(reading.mwv).status == UInt8(ascii: "A"))
    #expect(reading.errors.isEmpty)
  }

  @Test func `MWV: empty fields are unknown and cause no error`() throws {
    let reading = read("WIMWV,,,,,")
    #expect(knownFields(of: try #require(reading.mwv)).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("WIMWV,59.0,R,1-3,N,A", .malformedNumber, field: 3, "1-3"),
    Flaw("WIMWV,59.0,RT,13.0,N,A", .unexpectedLetter, field: 2, "RT", refused: true),
    Flaw("WIMWV,359.9,R,13.0,NN,A", .unexpectedLetter, field: 4, "NN", refused: true),
  ])
  func `MWV: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }
}
