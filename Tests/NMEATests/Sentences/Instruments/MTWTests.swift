// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("MTW")
struct MTWTests {
  @Test func `MTW: every field of a real sentence is read`() throws {
    let reading = Reading("$INMTW,17.9,C*1B\r\n")
    #expect(try #require(reading.mtw).waterTemperatureDegreesCelsius == 17.9)
    #expect(reading.errors.isEmpty)
  }

  @Test func `MTW: an empty temperature is unknown and causes no error`() throws {
    let reading = Reading("$SDMTW,,C*1A\r\n")
    #expect(knownFields(of: try #require(reading.mtw)).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test func `MTW: a negative temperature is read`() throws {
    #expect(try #require(read("YXMTW,-0.4,C").mtw).waterTemperatureDegreesCelsius == -0.4)
  }

  @Test(arguments: [
    Flaw("INMTW,17.9,F", .unexpectedLetter, field: 2, "F", refused: true),
    Flaw("INMTW,17,9,C", .unexpectedLetter, field: 2, "9", refused: true),
    Flaw("INMTW,1-7,C", .malformedNumber, field: 1, "1-7"),
  ])
  func `MTW: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }
}
