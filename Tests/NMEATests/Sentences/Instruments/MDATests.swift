// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("MDA")
struct MDATests {
  @Test func `MDA: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$WIMDA,29.8991,I,1.0125,B,27.9,C,,,48.8,,16.1,C,29.4,T,32.0,M,1.6,N,0.8,M*63\r\n")
    let fields = try #require(reading.mda)
    #expect(fields.pressureHectopascals == 1012.5)
    #expect(fields.airTemperatureDegreesCelsius == 27.9)
    #expect(fields.waterTemperatureDegreesCelsius == nil)
    #expect(fields.relativeHumidityPercent == 48.8)
    #expect(fields.dewPointDegreesCelsius == 16.1)
    #expect(fields.windDirectionDegreesTrue == 29.4)
    #expect(fields.windDirectionDegreesMagnetic == 32)
    #expect(fields.windSpeedMetersPerSecond == 0.8231111111111111)
    #expect(fields.windSpeedFromMetersMetersPerSecond == 0.8)
    #expect(reading.errors.isEmpty)
  }

  @Test func `MDA: field 1 is used only if its unit is inches of mercury and field 3 is empty`() throws {
    let inches = try #require(read("WIMDA,29.92,I,,B").mda).pressureHectopascals
    #expect(inches == 1013.2075888)
    #expect(try #require(read("WIMDA,99700.0,P,,B").mda).pressureHectopascals == nil)
  }

  @Test func `MDA: a pressure in pascals in field 1 does not shift the other fields`() throws {
    let reading = Reading("$IIMDA,99700.0,P,1.00,B,3.2,C,,C,,,,C,295.19,T,,M,5.70,N,2.93,M*08\r\n")
    let fields = try #require(reading.mda)
    #expect(fields.pressureHectopascals == 1000)
    #expect(fields.airTemperatureDegreesCelsius == 3.2)
    #expect(fields.windDirectionDegreesTrue == 295.19)
    #expect(reading.errors.isEmpty)
  }

  @Test func `MDA: water temperature alone is read`() throws {
    let reading = Reading("$IIMDA,,I,,B,,C,21.8,C,,,,C,,T,,M,,N,,M*0F\r\n")
    #expect(
      knownFields(of: try #require(reading.mda)) == ["_waterTemperatureDegreesCelsius"])
    #expect(reading.errors.isEmpty)
  }

  @Test func `MDA: empty fields are unknown and cause no error`() throws {
    let reading = read("WIMDA,,,,,,,,,,,,,,,,,,,,")
    #expect(knownFields(of: try #require(reading.mda)).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("WIMDA,29.92,I,1,013,B,27.9,C", .unexpectedLetter, field: 4, "013", refused: true),
    Flaw("WIMDA,29.92,I,1.013,B,27.9,F", .unexpectedLetter, field: 6, "F", refused: true),
    Flaw("WIMDA,29.92,I,1-013,B,27.9,C", .malformedNumber, field: 3, "1-013"),
  ])
  func `MDA: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }
}
