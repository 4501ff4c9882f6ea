// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("HDT")
struct HDTTests {
  @Test("HDT: every field of a real sentence is read")
  func readsEveryField() throws {
    let reading = Reading(
      "$HEHDT,341.8,T*21\r\n")
    let fields = try #require(reading.hdt)
    #expect(fields.headingDegreesTrue == 341.8)
    #expect(reading.errors.isEmpty)
  }

  @Test("HDT: a heading of 360 degrees is read as 0")
  func readsOtherFormats() throws {
    let reading = read("HEHDT,360,T")
    let fields = try #require(reading.hdt)
    #expect(fields.headingDegreesTrue == 0)
    #expect(reading.errors.isEmpty)
  }

  @Test("HDT: empty fields are unknown and cause no error")
  func treatsEmptyAsUnknown() throws {
    let reading = read("HEHDT,,")
    let fields = try #require(reading.hdt)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(
    "HDT: a malformed field is reported with its number",
    arguments: [
      Flaw("HEHDT,341.8,M", .unexpectedLetter, field: 2, "M", refused: true),
      Flaw("HEHDT,361,T", .outOfRange, field: 1, "361"),
      Flaw("HEHDT,N41,T", .malformedNumber, field: 1, "N41"),
    ])
  func reportsFieldNumber(flaw: Flaw) { flaw.check() }

  @Test("HDT: the fields of a truncated sentence are read")
  func readsTruncated() throws {
    #expect(
      knownFields(of: try #require(read("HEHDT,341.8").hdt)) == ["_headingDegreesTrue"])
  }
}
