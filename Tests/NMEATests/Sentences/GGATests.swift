// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("GGA")
struct GGATests {
  @Test func `GGA: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76\r\n")
    let fields = try #require(reading.gga)
    #expect(fields.time == TimeOfDay(hour: 9, minute: 27, second: 50))
    #expect(fields.latitudeDegrees == 53.361336666666666)
    #expect(fields.longitudeDegrees == -6.50562)
    #expect(fields.quality == .autonomous)
    #expect(fields.satellitesUsed == 8)
    #expect(fields.horizontalDilution == 1.03)
    #expect(fields.altitudeMetersAboveSeaLevel == 61.7)
    #expect(fields.geoidSeparationMeters == 55.2)
    #expect(fields.correctionAgeSeconds == nil)
    #expect(fields.stationNumber == nil)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GGA: negative heights and the fields about corrections are read`() throws {
    let reading = read(
      "GNGGA,235959.25,3723.2475,S,12158.3416,E,4,12,99.99,-12.5,M,-28.3,M,3.5,0138")
    let fields = try #require(reading.gga)
    #expect(fields.time == TimeOfDay(hour: 23, minute: 59, second: 59, nanosecond: 250_000_000))
    #expect(fields.latitudeDegrees == -37.387458333333335)
    #expect(fields.longitudeDegrees == 121.97236)
    #expect(fields.quality == .rtkFixed)
    #expect(fields.satellitesUsed == 12)
    #expect(fields.horizontalDilution == nil)
    #expect(fields.altitudeMetersAboveSeaLevel == -12.5)
    #expect(fields.geoidSeparationMeters == -28.3)
    #expect(fields.correctionAgeSeconds == 3.5)
    #expect(fields.stationNumber == 138)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GGA: empty fields are unknown and cause no error`() throws {
    let reading = read("GPGGA,,,,,,,,,,,,,,")
    let fields = try #require(reading.gga)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw(
      "GPGGA,092761,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .malformedTime, field: 1,
      "092761", refused: true),
    Flaw(
      "GPGGA,250000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .malformedTime, field: 1,
      "250000", refused: true),
    Flaw(
      "GPGGA,092750,53x1.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .malformedNumber,
      field: 2, "53x1.6802", refused: true),
    Flaw(
      "GPGGA,092750,nan,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .malformedNumber, field: 2,
      "nan", refused: true),
    Flaw(
      "GPGGA,092750,-5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .malformedNumber,
      field: 2, "-5321.6802", refused: true),
    Flaw(
      "GPGGA,092750,8960.0000,N,00000.0000,E,0,0,,137.0,M,13.0,M,,", .outOfRange, field: 2,
      "8960.0000"),
    Flaw(
      "GPGGA,092750,9000.0001,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .outOfRange, field: 2,
      "9000.0001"),
    Flaw(
      "GPGGA,092750,5321.6802,X,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .unexpectedLetter,
      field: 3, "X", refused: true),
    Flaw(
      "GPGGA,092750,5321.6802,,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,", .unexpectedLetter,
      field: 3, "", refused: true),
    Flaw(
      "GPGGA,092750,5321.6802,N,18000.0001,W,1,8,1.03,61.7,M,55.2,M,,", .outOfRange, field: 4,
      "18000.0001"),
    Flaw(
      "GPGGA,092750,5321.6802,N,00630.3372,W,256,8,1.03,61.7,M,55.2,M,,", .outOfRange, field: 6,
      "256"),
    Flaw(
      "GPGGA,092750,5321.6802,N,00630.3372,W,1,-8,1.03,61.7,M,55.2,M,,", .outOfRange, field: 7,
      "-8"),
    Flaw(
      "GPGGA,092750,5321.6802,N,00630.3372,W,1,8,1.0.3,61.7,M,55.2,M,,", .malformedNumber,
      field: 8, "1.0.3"),
    Flaw(
      "GPGGA,092750,5321.6802,N,00630.3372,W,1,8,1.03,6l.7,M,55.2,M,,", .malformedNumber,
      field: 9, "6l.7"),
    Flaw(
      "GPGGA,092750,5321.6802,N,00630.3372,W,1,8,1.03,61,7,M,55.2,M,,", .unexpectedLetter,
      field: 10, "7", refused: true),
    Flaw(
      "GPGGA,092750,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,.,M,,", .malformedNumber, field: 11,
      "."),
    Flaw(
      "GPGGA,092750,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,10000", .outOfRange,
      field: 14, "10000"),
  ])
  func `GGA: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `GGA: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GPGGA,092750.000,5321.6802,N,00630.3372,W,1").gga)) == [
        "time", "_latitudeDegrees", "_longitudeDegrees", "quality",
      ])
  }

  @Test(arguments: [
    Flaw("GPGGA,092750.000,5321.6802", .unexpectedLetter, field: 3, "", refused: true)
  ])
  func `GGA: a position without its hemisphere is refused`(flaw: Flaw) { flaw.check() }
}
