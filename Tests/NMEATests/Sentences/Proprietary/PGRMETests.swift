// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PGRME")
struct PGRMETests {
  @Test func `PGRME: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$PGRME,15.0,M,22.5,M,27.0,M*1A\r\n")
    let fields = try #require(reading.pgrme)
    #expect(fields.horizontalErrorMeters == 15)
    #expect(fields.verticalErrorMeters == 22.5)
    #expect(fields.positionErrorMeters == 27)
    #expect(reading.errors.isEmpty)
  }

  @Test func `PGRME: empty fields are unknown and cause no error`() throws {
    let reading = read("PGRME,,,,,,")
    let fields = try #require(reading.pgrme)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("PGRME,15,0,M,22.5,M,27.0,M", .unexpectedLetter, field: 2, "0", refused: true),
    Flaw("PGRME,15.0,M,+-22.5,M,27.0,M", .malformedNumber, field: 3, "+-22.5"),
  ])
  func `PGRME: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `PGRME: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("PGRME,15.0,M").pgrme)) == ["_horizontalErrorMeters"])
  }
}
