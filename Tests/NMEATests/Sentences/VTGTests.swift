// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("VTG")
struct VTGTests {
  @Test func `VTG: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GPVTG,220.86,T,,M,2.550,N,4.724,K,A*34\r\n")
    let fields = try #require(reading.vtg)
    #expect(fields.courseDegreesTrue == 220.86)
    #expect(fields.courseDegreesMagnetic == nil)
    #expect(fields.speedMetersPerSecond == 1.3118333333333334)
    #expect(fields.speedFromKilometersMetersPerSecond == 1.3122222222222222)
    #expect(fields.mode == .autonomous)
    #expect(reading.errors.isEmpty)
  }

  @Test func `VTG: a course of 360 degrees is read as 0, and a magnetic course is read`() throws {
    let reading = read("GPVTG,360.0,T,12.5,M,0.0,N,0.0,K,S")
    let fields = try #require(reading.vtg)
    #expect(fields.courseDegreesTrue == 0)
    #expect(fields.courseDegreesMagnetic == 12.5)
    #expect(fields.speedMetersPerSecond == 0)
    #expect(fields.speedFromKilometersMetersPerSecond == 0)
    #expect(fields.mode == .simulator)
    #expect(reading.errors.isEmpty)
  }

  @Test func `VTG: empty fields are unknown and cause no error`() throws {
    let reading = read("GPVTG,,,,,,,,,")
    let fields = try #require(reading.vtg)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("GPVTG,220,86,T,,M,2.550,N,4.724,K,A", .unexpectedLetter, field: 2, "86", refused: true),
    Flaw("GPVTG,220.86,M,,M,2.550,N,4.724,K,A", .unexpectedLetter, field: 2, "M", refused: true),
    Flaw("GPVTG,-1.0,T,,M,2.550,N,4.724,K,A", .outOfRange, field: 1, "-1.0"),
    Flaw("GPVTG,220.86,T,,M,2.550,K,4.724,K,A", .unexpectedLetter, field: 6, "K", refused: true),
    Flaw("GPVTG,220.86,T,,M,2.550,N,4 724,K,A", .malformedNumber, field: 7, "4 724"),
  ])
  func `VTG: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `VTG: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GPVTG,220.86,T,,M,2.550").vtg)) == [
        "_courseDegreesTrue", "_speedMetersPerSecond",
      ])
  }
}
