// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("GST")
struct GSTTests {
  @Test func `GST: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GPGST,112257.00,0.387,317.719,3.872,1.791,317.563,10.659,180.746*61\r\n")
    let fields = try #require(reading.gst)
    #expect(fields.time == TimeOfDay(hour: 11, minute: 22, second: 57))
    #expect(fields.rangeResidualMeters == 0.387)
    #expect(fields.semiMajorMeters == 317.719)
    #expect(fields.semiMinorMeters == 3.872)
    #expect(fields.orientationDegrees == 1.791)
    #expect(fields.latitudeErrorMeters == 317.563)
    #expect(fields.longitudeErrorMeters == 10.659)
    #expect(fields.altitudeErrorMeters == 180.746)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GST: empty fields are unknown and cause no error`() throws {
    let reading = read("GPGST,,,,,,,,")
    let fields = try #require(reading.gst)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw(
      "GPGST,112257.00,0.387,317.719,3.872,1.791,inf,10.659,180.746", .malformedNumber, field: 6,
      "inf"),
    Flaw(
      "GPGST,112257.00,0.387,317.719,3.872,1.791,1e3,10.659,180.746", .malformedNumber, field: 6,
      "1e3"),
  ])
  func `GST: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `GST: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GPGST,112257.00,0.387").gst)) == [
        "time", "_rangeResidualMeters",
      ])
  }
}
