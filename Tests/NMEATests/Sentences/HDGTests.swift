// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("HDG")
struct HDGTests {
  @Test func `HDG: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$SDHDG,229.8,,,1.3,E*36\r\n")
    let fields = try #require(reading.hdg)
    #expect(fields.sensorHeadingDegrees == 229.8)
    #expect(fields.deviationDegrees == nil)
    #expect(fields.variationDegrees == 1.3)
    #expect(reading.errors.isEmpty)
  }

  @Test func `HDG: a deviation of zero and a westerly variation are read`() throws {
    let reading = read("SDHDG,229.8,0.0,W,1.3,W")
    let fields = try #require(reading.hdg)
    #expect(fields.sensorHeadingDegrees == 229.8)
    #expect(fields.deviationDegrees == 0)
    #expect(fields.variationDegrees == -1.3)
    #expect(reading.errors.isEmpty)
  }

  @Test func `HDG: empty fields are unknown and cause no error`() throws {
    let reading = read("SDHDG,,,,,")
    let fields = try #require(reading.hdg)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("SDHDG,229.8,,,1.3,EW", .unexpectedLetter, field: 5, "EW", refused: true),
    Flaw("SDHDG,229.8,,,1-3,E", .malformedNumber, field: 4, "1-3"),
  ])
  func `HDG: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `HDG: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("SDHDG,229.8,1.0").hdg)) == ["_sensorHeadingDegrees"])
  }
}
