// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("HDM")
struct HDMTests {
  @Test("reads every field of a real sentence")
  func readsEveryField() throws {
    let reading = Reading(
      "$APHDM,218.634,M*39\r\n")
    let fields = try #require(reading.hdm)
    #expect(fields.headingDegreesMagnetic == 218.634)
    #expect(reading.errors.isEmpty)
  }

  @Test("takes empty fields for unknown, and for no error")
  func takesEmptyForUnknown() throws {
    let reading = read("APHDM,,")
    let fields = try #require(reading.hdm)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(
    "says which field is broken, and how",
    arguments: [
      Flaw("APHDM,218.634,T", .unexpectedLetter, field: 2, "T", refused: true),
      Flaw("APHDM,--1,M", .malformedNumber, field: 1, "--1"),
    ])
  func saysWhichFieldIsBroken(flaw: Flaw) { flaw.check() }

  @Test("takes a sentence cut short as far as it goes")
  func takesTheBeginning() throws {
    #expect(
      knownFields(of: try #require(read("APHDM,218.634").hdm)) == ["_headingDegreesMagnetic"])
  }
}
