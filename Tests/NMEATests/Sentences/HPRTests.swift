// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("HPR")
struct HPRTests {
  @Test func `HPR: every field of a real sentence is read`() throws {
    let reading = Reading("$GNHPR,081212.00,341.48,-00.64,000.00,4,46,0.00,0999*4F\r\n")
    let fields = try #require(reading.hpr)
    #expect(fields.headingDegreesTrue == 341.48)
    #expect(fields.pitchDegrees == -0.64)
    #expect(fields.rollDegrees == 0)
    #expect(fields.quality == .rtkFixed)
    #expect(reading.errors.isEmpty)
  }

  @Test func `HPR: empty fields are unknown and cause no error`() throws {
    let reading = read("GNHPR,,,,,,,,")
    #expect(knownFields(of: try #require(reading.hpr)).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("GNHPR,081212.00,361,0,0,4", .outOfRange, field: 2, "361"),
    Flaw("GNHPR,081212.00,1,90.1,0,4", .outOfRange, field: 3, "90.1"),
    Flaw("GNHPR,081212.00,1,0,x,4", .malformedNumber, field: 4, "x"),
  ])
  func `HPR: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }
}
