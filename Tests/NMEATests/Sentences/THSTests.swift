// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("THS")
struct THSTests {
  @Test func `THS: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GNTHS,244.28,A*11\r\n")
    let fields = try #require(reading.ths)
    #expect(fields.headingDegreesTrue == 244.28)
    #expect(fields.status == UInt8(ascii: "A"))
    #expect(reading.errors.isEmpty)
  }

  @Test func `THS: empty fields are unknown and cause no error`() throws {
    let reading = read("GNTHS,,")
    let fields = try #require(reading.ths)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("GNTHS,244.28,AA", .unexpectedLetter, field: 2, "AA", refused: true),
    Flaw("GNTHS,400,A", .outOfRange, field: 1, "400"),
  ])
  func `THS: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `THS: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GNTHS,244.28").ths)) == ["_headingDegreesTrue"])
  }
}
