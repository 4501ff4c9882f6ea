// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("GLL")
struct GLLTests {
  @Test func `GLL: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GNGLL,4404.14012,N,12118.85993,W,001037.00,A,A*67\r\n")
    let fields = try #require(reading.gll)
    #expect(fields.latitudeDegrees == 44.069002)
    #expect(fields.longitudeDegrees == -121.31433216666667)
    #expect(fields.time == TimeOfDay(hour: 0, minute: 10, second: 37))
    #expect(fields.status == .valid)
    #expect(fields.mode == .autonomous)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GLL: an invalid position at the limits of the coordinates is read`() throws {
    let reading = read("GPGLL,0000.0000,S,18000.0000,W,001037,V,N")
    let fields = try #require(reading.gll)
    #expect(fields.latitudeDegrees == 0)
    #expect(fields.longitudeDegrees == -180)
    #expect(fields.time == TimeOfDay(hour: 0, minute: 10, second: 37))
    #expect(fields.status == .void)
    #expect(fields.mode == .notValid)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GLL: empty fields are unknown and cause no error`() throws {
    let reading = read("GPGLL,,,,,,,")
    let fields = try #require(reading.gll)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw(
      "GPGLL,4404;1,N,12118.8,W,001037,A,A", .malformedNumber, field: 1, "4404;1", refused: true),
    Flaw("GPGLL,4404.1,n,12118.8,W,001037,A,A", .unexpectedLetter, field: 2, "n", refused: true),
    Flaw(
      "GPGLL,4404.1,N,12118.8,East,001037,A,A", .unexpectedLetter, field: 4, "East", refused: true
    ),
    Flaw(
      "GPGLL,4404.1,N,12118.8,W,00:10:37,A,A", .malformedTime, field: 5, "00:10:37", refused: true
    ),
  ])
  func `GLL: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `GLL: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GPGLL,4404.14012,N,12118.85993,W").gll)) == [
        "_latitudeDegrees", "_longitudeDegrees",
      ])
  }

  @Test(arguments: [
    Flaw("GPGLL,4404.14012", .unexpectedLetter, field: 2, "", refused: true),
    Flaw("GPGLL,4404.14012,N,12118.85993,", .unexpectedLetter, field: 4, "", refused: true),
  ])
  func `GLL: a position without its hemisphere is refused`(flaw: Flaw) { flaw.check() }
}
