// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("GSV")
struct GSVTests {
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
}
