// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("HDT")
struct HDTTests {
  @Test("reads every field of a real sentence")
  func readsEveryField() throws {
    let reading = Reading(
      "$HEHDT,341.8,T*21\r\n")
    let fields = try #require(reading.hdt)
    #expect(fields.headingDegreesTrue == 341.8)
    #expect(reading.errors.isEmpty)
  }

  @Test("reads the other forms of its fields")
  func readsOtherForms() throws {
    let reading = read("HEHDT,360,T")
    let fields = try #require(reading.hdt)
    #expect(fields.headingDegreesTrue == 0)
    #expect(reading.errors.isEmpty)
  }

  @Test("takes empty fields for unknown, and for no error")
  func takesEmptyForUnknown() throws {
    let reading = read("HEHDT,,")
    let fields = try #require(reading.hdt)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(
    "says which field is broken, and how",
    arguments: [
      Flaw("HEHDT,341.8,M", .unexpectedLetter, field: 2, "M", refused: true),
      Flaw("HEHDT,361,T", .outOfRange, field: 1, "361"),
      Flaw("HEHDT,N41,T", .malformedNumber, field: 1, "N41"),
    ])
  func saysWhichFieldIsBroken(flaw: Flaw) { flaw.check() }

  @Test("takes a sentence cut short as far as it goes")
  func takesTheBeginning() throws {
    #expect(
      knownFields(of: try #require(read("HEHDT,341.8").hdt)) == ["_headingDegreesTrue"])
  }
}
