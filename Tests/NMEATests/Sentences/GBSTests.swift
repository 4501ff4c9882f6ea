// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("GBS")
struct GBSTests {
  @Test func `GBS: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GPGBS,112257.00,123.204,0.490,75.521,23,0.000,0.000,0.000*53\r\n")
    let fields = try #require(reading.gbs)
    #expect(fields.time == TimeOfDay(hour: 11, minute: 22, second: 57))
    #expect(fields.latitudeErrorMeters == 123.204)
    #expect(fields.longitudeErrorMeters == 0.490)
    #expect(fields.altitudeErrorMeters == 75.521)
    #expect(fields.faultySatellite == 23)
    #expect(fields.missedDetectionProbability == 0)
    #expect(fields.biasMeters == 0)
    #expect(fields.biasDeviationMeters == 0)
    #expect(fields.systemID == nil)
    #expect(fields.signalID == nil)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GBS: the system and signal ids of NMEA 4.1 are read`() throws {
    let reading = read("GNGBS,112257.00,1.2,0.5,7.5,23,0.25,-1.5,2.5,1,B")
    let fields = try #require(reading.gbs)
    #expect(fields.missedDetectionProbability == 0.25)
    #expect(fields.biasMeters == -1.5)
    #expect(fields.biasDeviationMeters == 2.5)
    #expect(fields.systemID == 1)
    #expect(fields.signalID == 11)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GBS: empty fields are unknown and cause no error`() throws {
    let reading = read("GPGBS,,,,,,,,,,")
    let fields = try #require(reading.gbs)
    #expect(knownFields(of: fields).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("GPGBS,112257.00,1.2,0.5,7.5,99999,,,", .outOfRange, field: 5, "99999"),
    Flaw("GPGBS,112257.00,1.2,0.5,7.5,23,,,,1,XY", .malformedNumber, field: 10, "XY"),
    Flaw("GPGBS,112257.00,1.2,0.5,7.5,23,,,,123,1", .malformedNumber, field: 9, "123"),
  ])
  func `GBS: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `GBS: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GPGBS,112257.00,1.2").gbs)) == [
        "time", "_latitudeErrorMeters",
      ])
  }
}
