// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("RMC")
struct RMCTests {
  @Test func `RMC: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GNRMC,001031.00,A,4404.13993,N,12118.86023,W,0.146,,100117,,,A*7B\r\n")
    let fields = try #require(reading.rmc)
    #expect(fields.time == TimeOfDay(hour: 0, minute: 10, second: 31))
    #expect(fields.status == .valid)
    #expect(fields.latitudeDegrees == 44.06899883333333)
    #expect(fields.longitudeDegrees == -121.31433716666666)
    #expect(fields.speedMetersPerSecond == 0.07510888888888889)
    #expect(fields.courseDegreesTrue == nil)
    #expect(fields.date == CalendarDate(year: 2017, month: 1, day: 10))
    #expect(fields.magneticVariationDegrees == nil)
    #expect(fields.mode == .autonomous)
    #expect(fields.navigationalStatus == nil)
    #expect(reading.errors.isEmpty)
  }

  @Test func `RMC: a leap second, a year of four digits and a westerly variation are read`() throws {
    let reading = read("GPRMC,235960.5,V,3723.2475,S,12158.3416,E,10.5,360.0,31121999,3.1,W,N,V")
    let fields = try #require(reading.rmc)
    #expect(fields.time == TimeOfDay(hour: 23, minute: 59, second: 60, nanosecond: 500_000_000))
    #expect(fields.status == .void)
    #expect(fields.latitudeDegrees == -37.387458333333335)
    #expect(fields.longitudeDegrees == 121.97236)
    #expect(fields.speedMetersPerSecond == 5.401666666666666)
    #expect(fields.courseDegreesTrue == 0)
    #expect(fields.date == CalendarDate(year: 1999, month: 12, day: 31))
    #expect(fields.magneticVariationDegrees == -3.1)
    #expect(fields.mode == .notValid)
    #expect(fields.navigationalStatus == UInt8(ascii: "V"))
    #expect(reading.errors.isEmpty)
  }

  @Test func `RMC: empty fields are unknown and cause no error`() throws {
    let reading = read("GPRMC,,,,,,,,,,,,,")
    let fields = try #require(reading.rmc)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw(
      "GPRMC,0010,A,4404.1,N,12118.8,W,0.1,,100117,,,A", .malformedTime, field: 1, "0010",
      refused: true),
    Flaw(
      "GPRMC,001031.00.1,A,4404.1,N,12118.8,W,0.1,,100117,,,A", .malformedTime, field: 1,
      "001031.00.1", refused: true),
    Flaw(
      "GPRMC,001031,AA,4404.1,N,12118.8,W,0.1,,100117,,,A", .unexpectedLetter, field: 2, "AA",
      refused: true),
    Flaw(
      "GPRMC,001031,A,4404.1,E,12118.8,W,0.1,,100117,,,A", .unexpectedLetter, field: 4, "E",
      refused: true),
    Flaw("GPRMC,001031,A,4404.1,N,12178.8,W,0.1,,100117,,,A", .outOfRange, field: 5, "12178.8"),
    Flaw(
      "GPRMC,001031,A,4404.1,N,12118.8,N,0.1,,100117,,,A", .unexpectedLetter, field: 6, "N",
      refused: true),
    Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,-0.1,,100117,,,A", .outOfRange, field: 7, "-0.1"),
    Flaw(
      "GPRMC,001031,A,4404.1,N,12118.8,W,0.1,360.1,100117,,,A", .outOfRange, field: 8, "360.1"),
    Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,0604-1,,,A", .malformedDate, field: 9, "0604-1"),
    Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,000117,,,A", .malformedDate, field: 9, "000117"),
    Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,011317,,,A", .malformedDate, field: 9, "011317"),
    Flaw(
      "GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,1001170,,,A", .malformedDate, field: 9, "1001170"),
    Flaw("GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,-1,,,A", .malformedDate, field: 9, "-1"),
    Flaw(
      "GPRMC,001031,A,4404.1,N,12118.8,W,0.1,,100117,0x1,E,A", .malformedNumber, field: 10, "0x1"),
  ])
  func `RMC: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `RMC: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(
        of: try #require(read("GPRMC,001031.00,A,4404.13993,N,12118.86023,W,0.146,,100117").rmc))
        == [
          "time", "status", "_latitudeDegrees", "_longitudeDegrees", "_speedMetersPerSecond",
          "date",
        ])
    #expect(
      knownFields(of: try #require(read("GPRMC").rmc)).isEmpty)
  }

  @Test(arguments: [
    Flaw(
      "GPRMC,001031.00,A,4404.13993,N,12118.86023", .unexpectedLetter, field: 6, "", refused: true
    )
  ])
  func `RMC: a position without its hemisphere is refused`(flaw: Flaw) { flaw.check() }

  @Test(arguments: [("00", 2000), ("68", 2068), ("69", 1969), ("99", 1999)])
  func `RMC: a year of two digits is expanded as gpsd does`(digits: String, year: UInt16) throws {
    let fields = try #require(read("GPRMC,000000,A,,,,,,,0101\(digits),,,A").rmc)
    #expect(fields.date == CalendarDate(year: year, month: 1, day: 1))
  }

  @Test func `RMC: a malformed date does not affect the position`() throws {
    let reading = read("GPRMC,001031,A,4530.0,N,09030.0,W,0.1,,0604-1,,,A")
    let fields = try #require(reading.rmc)
    #expect(fields.date == nil)
    #expect(fields.latitudeDegrees == 45.5)
    #expect(fields.longitudeDegrees == -90.5)
  }

  @Test(arguments: [("A", true), ("D", true), ("V", false), ("L", false), ("a", false)])
  func `RMC: the status letters A and D are valid, and any other letter is kept`(letter: String, isValid: Bool) throws {
    let fields = try #require(read("GPRMC,001031,\(letter),4530.0,N,09030.0,W,,,,,,A").rmc)
    #expect(fields.status?.isValid == isValid)
    #expect(fields.status?.rawValue == letter.utf8.first)
  }

  @Test func `RMC: a variation without its direction is unknown`() throws {
    let fields = try #require(read("GPRMC,001031,A,,,,,,,,3.1,,A").rmc)
    #expect(fields.magneticVariationDegrees == nil)
  }
}
