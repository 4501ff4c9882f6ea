// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PGRMZ")
struct PGRMZTests {
  @Test("PGRMZ: every field of a real sentence is read")
  func readsEveryField() throws {
    let reading = Reading(
      "$PGRMZ,2282,f,3*21\r\n")
    let fields = try #require(reading.pgrmz)
    #expect(fields.altitudeMetersAboveSeaLevel == 695.5536)
    #expect(fields.mode == 3)
    #expect(reading.errors.isEmpty)
  }

  @Test("PGRMZ: a negative altitude is read")
  func readsOtherFormats() throws {
    let reading = read("PGRMZ,-12,f,2")
    let fields = try #require(reading.pgrmz)
    #expect(fields.altitudeMetersAboveSeaLevel == -3.6576)
    #expect(fields.mode == 2)
    #expect(reading.errors.isEmpty)
  }

  @Test("PGRMZ: empty fields are unknown and cause no error")
  func treatsEmptyAsUnknown() throws {
    let reading = read("PGRMZ,,,")
    let fields = try #require(reading.pgrmz)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(
    "PGRMZ: a malformed field is reported with its number",
    arguments: [
      Flaw("PGRMZ,2282,M,3", .unexpectedLetter, field: 2, "M", refused: true),
      Flaw("PGRMZ,2282,f,4", .outOfRange, field: 3, "4"),
    ])
  func reportsFieldNumber(flaw: Flaw) { flaw.check() }

  @Test("PGRMZ: the fields of a truncated sentence are read")
  func readsTruncated() throws {
    #expect(
      knownFields(of: try #require(read("PGRMZ,2282").pgrmz)) == ["_altitudeMetersAboveSeaLevel"])
  }
}
