// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PGRMZ")
struct PGRMZTests {
  @Test func `PGRMZ: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$PGRMZ,2282,f,3*21\r\n")
    let fields = try #require(reading.pgrmz)
    #expect(fields.altitudeMetersAboveSeaLevel == 695.5536)
    #expect(fields.mode == 3)
    #expect(reading.errors.isEmpty)
  }

  @Test func `PGRMZ: a negative altitude is read`() throws {
    let reading = read("PGRMZ,-12,f,2")
    let fields = try #require(reading.pgrmz)
    #expect(fields.altitudeMetersAboveSeaLevel == -3.6576)
    #expect(fields.mode == 2)
    #expect(reading.errors.isEmpty)
  }

  @Test func `PGRMZ: empty fields are unknown and cause no error`() throws {
    let reading = read("PGRMZ,,,")
    let fields = try #require(reading.pgrmz)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("PGRMZ,2282,M,3", .unexpectedLetter, field: 2, "M", refused: true),
    Flaw("PGRMZ,2282,f,4", .outOfRange, field: 3, "4"),
  ])
  func `PGRMZ: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `PGRMZ: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("PGRMZ,2282").pgrmz)) == ["_altitudeMetersAboveSeaLevel"])
  }
}
