// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("MWD")
struct MWDTests {
  @Test func `MWD: every field of a real sentence is read`() throws {
    let reading = Reading("$WIMWD,326.6,T,325.2,M,11.4,N,5.9,M*65\r\n")
    let fields = try #require(reading.mwd)
    #expect(fields.directionDegreesTrue == 326.6)
    #expect(fields.directionDegreesMagnetic == 325.2)
    #expect(fields.speedMetersPerSecond == 5.8646666666666665)
    #expect(fields.speedFromMetersMetersPerSecond == 5.9)
    #expect(reading.errors.isEmpty)
  }

  @Test func `MWD: empty fields are unknown and cause no error`() throws {
    let reading = read("WIMWD,,T,,M,,N,,M")
    #expect(knownFields(of: try #require(reading.mwd)).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("WIMWD,326.6,M,325.2,M,11.4,N", .unexpectedLetter, field: 2, "M", refused: true),
    Flaw("WIMWD,326.6,T,325.2,M,-1.0,N", .outOfRange, field: 5, "-1.0"),
    Flaw("WIMWD,361.0,T,325.2,M,11.4,N", .outOfRange, field: 1, "361.0"),
  ])
  func `MWD: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }
}
