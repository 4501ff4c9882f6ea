// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PASHR")
struct PASHRTests {
  @Test("PASHR: every field of a sentence is read")
  func readsEveryField() throws {
    let reading = read("PASHR,085335.000,224.19,T,-01.26,+00.83,+00.00,0.101,0.113,0.267,1,0")
    let fields = try #require(reading.pashr)
    #expect(fields.headingDegreesTrue == 224.19)
    #expect(fields.rollDegrees == -1.26)
    #expect(fields.pitchDegrees == 0.83)
    #expect(fields.quality == 1)
    #expect(fields.inertialState == 0)
    #expect(reading.errors.isEmpty)
  }

  @Test("PASHR: empty fields are unknown and cause no error")
  func treatsEmptyAsUnknown() throws {
    let reading = read("PASHR,,,,,,,,,,,")
    #expect(knownFields(of: try #require(reading.pashr)).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(
    "PASHR: Ashtech's sentences of this name are not supported, and cause no error",
    arguments: [
      "PASHR,ACK", "PASHR,POS,1,10,185345.00,4717.1,N,00833.9,E,500", "PASHR,ATT,1,2,3",
    ])
  func skipsOtherSentences(body: String) {
    let reading = read(body)
    #expect(reading.unsupported == ["PASHR"])
    #expect(reading.errors.isEmpty)
  }

  @Test(
    "PASHR: a malformed field is reported with its number",
    arguments: [
      Flaw("PASHR,1,400,T,0,0", .outOfRange, field: 2, "400"),
      Flaw("PASHR,1,10,M,0,0", .unexpectedLetter, field: 3, "M", refused: true),
      Flaw("PASHR,1,10,T,-180.1,0", .outOfRange, field: 4, "-180.1"),
    ])
  func reportsFieldNumber(flaw: Flaw) { flaw.check() }
}
