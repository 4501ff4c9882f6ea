// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PSRFEPE")
struct PSRFEPETests {
  @Test func `PSRFEPE: every field of a real sentence is read`() throws {
    let reading = Reading("$PSRFEPE,100542.000,A,0.7,6.82,10.69,0.0,180.0*24\r\n")
    let fields = try #require(reading.psrfepe)
    #expect(fields.time == TimeOfDay(hour: 10, minute: 5, second: 42))
    #expect(fields.isValid)
    #expect(fields.horizontalDilution == 0.7)
    #expect(fields.horizontalErrorMeters == 6.82)
    #expect(fields.verticalErrorMeters == 10.69)
    #expect(fields.speedErrorMetersPerSecond == 0)
    #expect(fields.courseErrorDegrees == 180)
    #expect(reading.errors.isEmpty)
  }

  @Test func `PSRFEPE: a real sentence of a receiver without a fix is read`() throws {
    let reading = Reading("$PSRFEPE,074150.799,V,,,,,*23\r\n")
    let fields = try #require(reading.psrfepe)
    #expect(!fields.isValid)
    #expect(fields.horizontalErrorMeters == nil)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("PSRFEPE,100542.000,A,0.7,6.8x,10.69,0.0,180.0", .malformedNumber, field: 4, "6.8x"),
    Flaw("PSRFEPE,100542.000,A,0.7,6.82,10.69,0.0,180.1", .outOfRange, field: 7, "180.1"),
    Flaw("PSRFEPE,250000,A,0.7,,,,", .malformedTime, field: 1, "250000", refused: true),
  ])
  func `PSRFEPE: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }
}
