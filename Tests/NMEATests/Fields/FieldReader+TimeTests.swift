// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("Times and integers in NMEA fields")
struct FieldReaderTimeTests {
  @Test(arguments: [
    ("", 0), (".", 0), (".5", 500_000_000), (".05", 50_000_000), (".123456789", 123_456_789),
    (".999999999", 999_999_999), (".9999999999", 999_999_999), (".0000000009", 0),
    (".000000001" + String(repeating: "9", count: 500), 1),
  ])
  func `a time of day is read with up to nine digits of the second`(fraction: String, nanosecond: UInt32) {
    let time = read("GPGLL,,,,,235960\(fraction),A").gll?.time
    #expect(time == TimeOfDay(hour: 23, minute: 59, second: 60, nanosecond: nanosecond))
  }

  @Test(arguments: [
    "240000", "236000", "235961", "23595", "2359599", "23:59:59", "-10000", "2359 9",
    "235959.5.", "235959.x", "2359.59", "*", "99999999999999999999999",
  ])
  func `a sentence with a malformed time of day is refused`(text: String) {
    let reading = read("GPGLL,,,,,\(text),A")
    #expect(reading.errors.map(\.kind) == [.malformedTime])
    #expect(reading.errors.map(\.field) == [5])
    #expect(reading.errors.map(\.value) == [RawValue([UInt8](text.utf8).span)])
    #expect(reading.sentences.isEmpty)
  }

  @Test(arguments: [
    ("7", 7), ("07", 7), ("0000007", 7), ("7.9", 7), ("7.", 7), ("+7", 7), ("255", 255),
  ])
  func `a whole number may have leading zeros, and its fraction is cut off`(text: String, number: UInt32) {
    let reading = read("GPGGA,,,,,,1,\(text),,,,,,,")
    #expect(reading.gga?.satellitesUsed == number)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: ["256", "-1", "4294967303", "18446744073709551623", "999999999999999999999999"])
  func `a whole number out of range is unknown and causes an error`(text: String) {
    let reading = read("GPGGA,,,,,,1,\(text),,,,,,,")
    #expect(reading.gga?.satellitesUsed == nil)
    #expect(reading.errors.map(\.kind) == [.outOfRange])
    #expect(reading.errors.map(\.field) == [7])
  }
}
