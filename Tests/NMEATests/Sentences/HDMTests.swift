// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("HDM")
struct HDMTests {
  @Test func `HDM: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$APHDM,218.634,M*39\r\n")
    let fields = try #require(reading.hdm)
    #expect(fields.headingDegreesMagnetic == 218.634)
    #expect(reading.errors.isEmpty)
  }

  @Test func `HDM: empty fields are unknown and cause no error`() throws {
    let reading = read("APHDM,,")
    let fields = try #require(reading.hdm)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("APHDM,218.634,T", .unexpectedLetter, field: 2, "T", refused: true),
    Flaw("APHDM,--1,M", .malformedNumber, field: 1, "--1"),
  ])
  func `HDM: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `HDM: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("APHDM,218.634").hdm)) == ["_headingDegreesMagnetic"])
  }
}
