// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("ZDA")
struct ZDATests {
  @Test func `ZDA: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GPZDA,160012.71,11,03,2004,-1,00*7D\r\n")
    let fields = try #require(reading.zda)
    #expect(fields.time == TimeOfDay(hour: 16, minute: 0, second: 12, nanosecond: 710_000_000))
    #expect(fields.date == CalendarDate(year: 2004, month: 3, day: 11))
    #expect(fields.zoneHours == -1)
    #expect(fields.zoneMinutes == 0)
    #expect(reading.errors.isEmpty)
  }

  @Test func `ZDA: a date of zeros is unknown, and the largest zone offsets are read`() throws {
    let reading = read("GPZDA,160012.71,00,00,0000,13,-59")
    let fields = try #require(reading.zda)
    #expect(fields.date == nil)
    #expect(fields.zoneHours == 13)
    #expect(fields.zoneMinutes == -59)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [("14", 2014), ("68", 2068), ("80", 1980), ("1980", 1980), ("2200", 2200)])
  func `ZDA: a year of two digits is expanded, and a year of four digits is kept`(stated: String, year: UInt16) throws {
    let fields = try #require(read("GPZDA,195719,16,04,\(stated),-02,00").zda)
    #expect(fields.date == CalendarDate(year: year, month: 4, day: 16))
  }

  @Test func `ZDA: empty fields are unknown and cause no error`() throws {
    let reading = read("GPZDA,,,,,,")
    let fields = try #require(reading.zda)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("GPZDA,160012.71,32,03,2004,,", .outOfRange, field: 2, "32"),
    Flaw("GPZDA,160012.71,11,13,2004,,", .outOfRange, field: 3, "13"),
    Flaw("GPZDA,160012.71,11,03,20o4,,", .malformedNumber, field: 4, "20o4"),
    Flaw("GPZDA,195719,16,04,0014,-02,00", .outOfRange, field: 4, "0014"),
    Flaw("GPZDA,195719,16,04,1979,-02,00", .outOfRange, field: 4, "1979"),
    Flaw("GPZDA,195719,16,04,2201,-02,00", .outOfRange, field: 4, "2201"),
    Flaw("GPZDA,195719,16,04,69,-02,00", .outOfRange, field: 4, "69"),
    Flaw("GPZDA,160012.71,11,03,2004,14,", .outOfRange, field: 5, "14"),
    Flaw("GPZDA,160012.71,11,03,2004,,60", .outOfRange, field: 6, "60"),
    Flaw(
      "GPZDA,160012.71,11,03,2004,,-99999999999999999999", .outOfRange, field: 6,
      "-99999999999999999999"),
  ])
  func `ZDA: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `ZDA: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GPZDA,160012.71,11,03").zda)) == ["time"])
    #expect(
      knownFields(of: try #require(read("GPZDA,160012.71,11,03,2004").zda)) == ["time", "date"])
  }
}
