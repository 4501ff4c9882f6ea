// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PSTI036")
struct PSTI036Tests {
  @Test func `PSTI036: every field of a real sentence is read`() throws {
    let reading = Reading("$PSTI,036,003832.000,290322,244.28,2.77,0.00,R*5D\r\n")
    let fields = try #require(reading.psti036)
    #expect(fields.headingDegreesTrue == 244.28)
    #expect(fields.pitchDegrees == 2.77)
    #expect(fields.rollDegrees == 0)
    #expect(fields.mode == .rtkFixed)
    #expect(reading.errors.isEmpty)
  }

  @Test func `PSTI036: empty fields are unknown, and other PSTI sentences are not supported`() throws {
    let reading = read("PSTI,036,,,,,,")
    #expect(knownFields(of: try #require(reading.psti036)).isEmpty)
    #expect(reading.errors.isEmpty)
    #expect(read("PSTI,032,003832.000,290322,A").unsupported == ["PSTI"])
  }

  @Test(arguments: [
    Flaw("PSTI,036,1,2,361,0,0,R", .outOfRange, field: 4, "361"),
    Flaw("PSTI,036,1,2,10,0,0,RR", .unexpectedLetter, field: 7, "RR", refused: true),
  ])
  func `PSTI036: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }
}
