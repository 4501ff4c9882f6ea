// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("GSV")
struct GSVTests {
  @Test func `GSV: empty fields are unknown and cause no error`() throws {
    let reading = read("GPGSV,,,,,,,,,,,,,,,,,,,,")
    let fields = try #require(reading.gsv)
    #expect(knownFields(of: fields) == ["satellites"])
    #expect(fields.satellites.isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("GPGSV,x,1,10,03,41,050,46", .malformedNumber, field: 1, "x"),
    Flaw("GPGSV,3,100,10,03,41,050,46", .outOfRange, field: 2, "100"),
    Flaw("GPGSV,3,1,10,03,91,050,46", .outOfRange, field: 5, "91"),
    Flaw("GPGSV,3,1,10,03,-5,050,46", .outOfRange, field: 5, "-5"),
    Flaw("GPGSV,3,1,10,03,41,361,46", .outOfRange, field: 6, "361"),
    Flaw("GPGSV,3,1,10,03,41,050,100", .outOfRange, field: 7, "100"),
    Flaw("GPGSV,3,1,10,0 3,41,050,46", .malformedNumber, field: 4, "0 3"),
    Flaw("GPGSV,3,1,10,1.83,41,050,46", .malformedNumber, field: 4, "1.83"),
    Flaw("GPGSV,3,1,10,03,41,050,46,G", .malformedNumber, field: 8, "G"),
  ])
  func `GSV: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `GSV: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GPGSV,1,1,00").gsv)) == [
        "sentenceCount", "sentenceNumber", "satellitesInView", "satellites",
      ])
    #expect(
      knownFields(of: try #require(read("GPGSV,1").gsv)) == ["sentenceCount", "satellites"])
  }

  @Test func `GSV: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GPGSV,3,1,10,03,41,050,46,07,60,317,49,08,34,315,45,11,35,148,45*71\r\n")
    let fields = try #require(reading.gsv)
    #expect(fields.sentenceCount == 3)
    #expect(fields.sentenceNumber == 1)
    #expect(fields.satellitesInView == 10)
    #expect(
      Array(fields.satellites) == [
        satellite(3, 41, 50, 46), satellite(7, 60, 317, 49), satellite(8, 34, 315, 45),
        satellite(11, 35, 148, 45),
      ])
    #expect(fields.signalID == nil)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GSV: an azimuth of 360 is read as 0, and an empty elevation or signal is unknown`() throws {
    let fields = try #require(read("GPGSV,1,1,3,11,35,360,00,12,,090,,13").gsv)
    #expect(fields.satellites.map(\.number) == [11, 12])
    #expect(fields.satellites.map(\.elevationDegrees) == [35, nil])
    #expect(fields.satellites.map(\.azimuthDegrees) == [0, 90])
    #expect(fields.satellites.map(\.signalToNoiseDBHz) == [0, nil])
  }

  @Test(arguments: ["", "0", "00"])
  func `GSV: satellites with an empty or zero number are dropped`(number: String) throws {
    let reading = read("GPGSV,3,3,11,22,42,067,42,\(number),,,,27,05,244,00,\(number),,,")
    #expect(try #require(reading.gsv).satellites.map(\.number) == [22, 27])
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: 0...4)
  func `GSV: the signal id is read after 0 to 4 satellites`(count: Int) throws {
    let satellites = (0..<count).map { ",\($0 + 1),45,090,40" }.joined()
    for (field, signalID) in [("1", UInt8(1)), ("B", 11), ("", nil)] {
      let reading = read("GBGSV,1,1,04\(satellites),\(field)")
      let fields = try #require(reading.gsv)
      #expect(fields.signalID == signalID)
      #expect(fields.satellites.count == count)
      #expect(reading.errors.isEmpty)
    }
  }

  @Test(arguments: 0...4)
  func `GSV: Quectel's signal and system ids are read`(count: Int) throws {
    let satellites = (0..<count).map { ",\($0 + 1),45,090,40" }.joined()
    for (fields, signalID) in [("0,4", UInt8(0)), ("B,5", 11), ("5,B", 5), (",4", nil)] {
      let reading = read("PQGSV,1,1,04\(satellites),\(fields)")
      #expect(try #require(reading.gsv).signalID == signalID)
      #expect(try #require(reading.gsv).satellites.count == count)
      #expect(reading.errors.isEmpty)
    }
  }

  @Test func `GSV: a signal id with more than two digits causes an error`() {
    let reading = read("GPGSV,1,1,01,03,41,050,46,123")
    #expect(reading.gsv?.signalID == nil)
    #expect(reading.errors.map(\.field) == [8])
    #expect(reading.errors.map(\.value.description) == ["123"])
  }

  private func satellite(
    _ number: UInt16, _ elevation: UInt32, _ azimuth: UInt32, _ signal: UInt32
  ) -> SatelliteInView {
    SatelliteInView(
      number: number, elevationDegrees: elevation, azimuthDegrees: azimuth,
      signalToNoiseDBHz: signal)
  }
}
