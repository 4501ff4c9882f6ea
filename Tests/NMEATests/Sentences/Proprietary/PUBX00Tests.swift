// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PUBX00")
struct PUBX00Tests {
  @Test func `PUBX00: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0*5F\r\n"
    )
    let fields = try #require(reading.pubx00)
    #expect(fields.time == TimeOfDay(hour: 8, minute: 13, second: 50))
    #expect(fields.latitudeDegrees == 47.28522016666667)
    #expect(fields.longitudeDegrees == 8.565253116666666)
    #expect(fields.altitudeMetersAboveEllipsoid == 546.589)
    #expect(fields.status == 0x4733)
    #expect(fields.horizontalAccuracyMeters == 2.1)
    #expect(fields.verticalAccuracyMeters == 2.0)
    #expect(fields.speedMetersPerSecond == 0.0019444444444444444)
    #expect(fields.courseDegreesTrue == 77.52)
    #expect(fields.climbMetersPerSecond == -0.007)
    #expect(fields.correctionAgeSeconds == nil)
    #expect(fields.horizontalDilution == 0.92)
    #expect(fields.verticalDilution == 1.19)
    #expect(fields.timeDilution == 0.77)
    #expect(fields.satellitesUsed == 9)
    #expect(reading.errors.isEmpty)
  }

  @Test func `PUBX00: empty fields are unknown and cause no error`() throws {
    let reading = read("PUBX,00,,,,,,,,,,,,,,,,,,,")
    let fields = try #require(reading.pubx00)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw(
      "PUBX,00,081350.00,4717.1x,N,00833.9,E,546.5,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0",
      .malformedNumber, field: 3, "4717.1x", refused: true),
    Flaw(
      "PUBX,00,081350.00,4717.1,N,00833.9,E,546.5,G3,2.1,2.0,0.007,77.52,0.0.7,,0.92,1.19,0.77,9,0,0",
      .malformedNumber, field: 13, "0.0.7"),
  ])
  func `PUBX00: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `PUBX00: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(
        of: try #require(read("PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589").pubx00))
        == ["_latitudeDegrees", "_longitudeDegrees", "_altitudeMetersAboveEllipsoid", "time"])
    #expect(
      knownFields(of: try #require(read("PUBX,00").pubx00)) == [])
  }

  @Test func `a Sentence occupies at most 128 bytes, which LLVM copies without memcpy`() {
    #expect(MemoryLayout<Sentence?>.size <= 128)
  }

  @Test func `PUBX00: a value is never a negative zero`() throws {
    let fields = try #require(
      read("PUBX,00,,0000.0,S,00000.0,W,-0.0,,,,-0.0,-0.0,0.000,,,,,,,").pubx00)
    let zeros = [
      fields.latitudeDegrees, fields.longitudeDegrees, fields.altitudeMetersAboveEllipsoid,
      fields.speedMetersPerSecond, fields.courseDegreesTrue, fields.climbMetersPerSecond,
    ]
    #expect(zeros.map { $0?.sign } == Array(repeating: .plus, count: 6))
  }

  @Test(arguments: ["PUBX,03,01", "PUBX,,", "PUBX,", "PUBX,0"])
  func `PUBX00: other u-blox sentences are not read`(body: String) {
    #expect(read(body).unsupported == ["PUBX"])
  }
}
