// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("HDT")
struct HDTTests {
  @Test func `HDT: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$HEHDT,341.8,T*21\r\n")
    let fields = try #require(reading.hdt)
    #expect(fields.headingDegreesTrue == 341.8)
    #expect(reading.errors.isEmpty)
  }

  @Test func `HDT: a heading of 360 degrees is read as 0`() throws {
    let reading = read("HEHDT,360,T")
    let fields = try #require(reading.hdt)
    #expect(fields.headingDegreesTrue == 0)
    #expect(reading.errors.isEmpty)
  }

  @Test func `HDT: empty fields are unknown and cause no error`() throws {
    let reading = read("HEHDT,,")
    let fields = try #require(reading.hdt)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("HEHDT,341.8,M", .unexpectedLetter, field: 2, "M", refused: true),
    Flaw("HEHDT,361,T", .outOfRange, field: 1, "361"),
    Flaw("HEHDT,N41,T", .malformedNumber, field: 1, "N41"),
  ])
  func `HDT: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `HDT: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("HEHDT,341.8").hdt)) == ["_headingDegreesTrue"])
  }
}
