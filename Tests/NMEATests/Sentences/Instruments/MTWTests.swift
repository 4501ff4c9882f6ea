// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("MTW")
struct MTWTests {
  @Test("MTW: every field of a real sentence is read")
  func readsEveryField() throws {
    let reading = Reading("$INMTW,17.9,C*1B\r\n")
    #expect(try #require(reading.mtw).waterTemperatureDegreesCelsius == 17.9)
    #expect(reading.errors.isEmpty)
  }

  @Test("MTW: an empty temperature is unknown and causes no error")
  func treatsEmptyAsUnknown() throws {
    let reading = Reading("$SDMTW,,C*1A\r\n")
    #expect(knownFields(of: try #require(reading.mtw)).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test("MTW: a negative temperature is read")
  func readsNegative() throws {
    #expect(try #require(read("YXMTW,-0.4,C").mtw).waterTemperatureDegreesCelsius == -0.4)
  }

  @Test(
    "MTW: a malformed field is reported with its number",
    arguments: [
      Flaw("INMTW,17.9,F", .unexpectedLetter, field: 2, "F", refused: true),
      Flaw("INMTW,17,9,C", .unexpectedLetter, field: 2, "9", refused: true),
      Flaw("INMTW,1-7,C", .malformedNumber, field: 1, "1-7"),
    ])
  func reportsFieldNumber(flaw: Flaw) { flaw.check() }
}
