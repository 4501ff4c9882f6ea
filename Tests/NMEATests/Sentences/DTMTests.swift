// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("DTM")
struct DTMTests {
  @Test func `DTM: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GPDTM,W84,,0.0,N,0.0,E,0.0,W84*6F\r\n")
    let fields = try #require(reading.dtm)
    #expect(fields.localDatum == DTM.wgs84)
    #expect(fields.subdivision == nil)
    #expect(fields.latitudeOffsetMinutes == 0)
    #expect(fields.longitudeOffsetMinutes == 0)
    #expect(fields.altitudeOffsetMeters == 0)
    #expect(fields.referenceDatum == DTM.wgs84)
    #expect(reading.errors.isEmpty)
  }

  @Test func `DTM: a user-defined datum and negative offsets are read`() throws {
    let reading = read("GPDTM,999,CH95,0.08,S,0.07,W,-47.7,W84")
    let fields = try #require(reading.dtm)
    #expect(fields.localDatum == 0x393939)
    #expect(fields.subdivision == 0x43483935)
    #expect(fields.latitudeOffsetMinutes == -0.08)
    #expect(fields.longitudeOffsetMinutes == -0.07)
    #expect(fields.altitudeOffsetMeters == -47.7)
    #expect(fields.referenceDatum == DTM.wgs84)
    #expect(reading.errors.isEmpty)
  }

  @Test func `DTM: empty fields are unknown and cause no error`() throws {
    let reading = read("GPDTM,,,,,,,,")
    let fields = try #require(reading.dtm)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("GPDTM,W84,,0.O,N,0.0,E,0.0,W84", .malformedNumber, field: 3, "0.O"),
    Flaw("GPDTM,W84,,0.0,N,0.0,EE,0.0,W84", .unexpectedLetter, field: 6, "EE", refused: true),
  ])
  func `DTM: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `DTM: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GPDTM,W84,,0.0,N").dtm)) == [
        "localDatum", "_latitudeOffsetMinutes",
      ])
  }
}
