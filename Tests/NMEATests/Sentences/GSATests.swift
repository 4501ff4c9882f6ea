// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("GSA")
struct GSATests {
  @Test func `GSA: every field of a real sentence is read`() throws {
    let reading = Reading(
      "$GNGSA,A,3,80,71,73,79,69,,,,,,,,1.83,1.09,1.47*17\r\n")
    let fields = try #require(reading.gsa)
    #expect(fields.selection == UInt8(ascii: "A"))
    #expect(fields.mode == 3)
    #expect(fields.satellites.map(Int.init) == [80, 71, 73, 79, 69])
    #expect(fields.positionDilution == 1.83)
    #expect(fields.horizontalDilution == 1.09)
    #expect(fields.verticalDilution == 1.47)
    #expect(fields.systemID == nil)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GSA: twelve satellites and the system id are read`() throws {
    let reading = read("GNGSA,M,2,01,02,03,04,05,06,07,08,09,10,11,12,1.8,1.0,1.4,4")
    let fields = try #require(reading.gsa)
    #expect(fields.selection == UInt8(ascii: "M"))
    #expect(fields.mode == 2)
    #expect(fields.satellites.map(Int.init) == Array(1...12))
    #expect(fields.positionDilution == 1.8)
    #expect(fields.horizontalDilution == 1.0)
    #expect(fields.verticalDilution == 1.4)
    #expect(fields.systemID == 4)
    #expect(reading.errors.isEmpty)
  }

  @Test func `GSA: empty fields are unknown and cause no error`() throws {
    let reading = read("GPGSA,,,,,,,,,,,,,,,,,,")
    let fields = try #require(reading.gsa)
    #expect(knownFields(of: fields) == ["satellites"])
    #expect(fields.satellites.isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw(
      "GPGSA,AA,3,80,71,,,,,,,,,,,1.83,1.09,1.47", .unexpectedLetter, field: 1, "AA",
      refused: true),
    Flaw("GPGSA,A,4,80,71,,,,,,,,,,,1.83,1.09,1.47", .outOfRange, field: 2, "4"),
    Flaw("GPGSA,A,3,80,7l,,,,,,,,,,,1.83,1.09,1.47", .malformedNumber, field: 4, "7l"),
    Flaw("GPGSA,A,3,80,65536,,,,,,,,,,,1.83,1.09,1.47", .outOfRange, field: 4, "65536"),
    Flaw("GPGSA,A,3,80,71,,,,,,,,,,,1.83,1..9,1.47", .malformedNumber, field: 16, "1..9"),
  ])
  func `GSA: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }

  @Test func `GSA: the fields of a truncated sentence are read`() throws {
    #expect(
      knownFields(of: try #require(read("GPGSA,A,1,,,,").gsa)) == [
        "selection", "mode", "satellites",
      ])
    #expect(
      knownFields(of: try #require(read("GPGSA,A").gsa)) == ["selection", "satellites"])
  }

  @Test func `GSA: 24 satellites are read from a sentence with 24 satellite fields`() throws {
    let numbers = (1...24).map(String.init).joined(separator: ",")
    for ending in ["1.8,1.0,1.4", "1.8,1.0,1.4,5"] {
      let fields = try #require(read("GPGSA,A,3,\(numbers),\(ending)").gsa)
      #expect(fields.satellites.map(Int.init) == Array(1...24))
      #expect(fields.positionDilution == 1.8)
      #expect(fields.verticalDilution == 1.4)
      #expect(fields.systemID == (ending.hasSuffix("5") ? 5 : nil))
    }
  }

  @Test(arguments: 0...26)
  func `GSA: a dilution is not read as a satellite in a sentence of any length`(count: Int) throws {
    let fields = ["9", "10", "11"] + Array(repeating: "", count: 9) + ["1.8", "1.0", "1.4", "1"]
    let body = (fields + Array(repeating: "", count: 30)).prefix(count).joined(separator: ",")
    let gsa = try #require(read("GPGSA,A,3,\(body)").gsa)
    #expect(gsa.satellites.map(Int.init) == Array([9, 10, 11].prefix(count)))
  }

  @Test func `GSA: a dilution is not read as a satellite if satellite fields are missing`() throws {
    let reading = read("GPGSA,A,3,80,71,1.83,1.09,1.47")
    #expect(try #require(reading.gsa).satellites.map(Int.init) == [80, 71])
    #expect(reading.errors.map(\.field) == [5])
  }

  @Test(arguments: ["1.83", "1234", "G", ""])
  func `GSA: a fourth dilution is not read as a system id`(field: String) throws {
    let reading = read("GPGSA,A,3,80,71,,,,,,,,,,,1.83,1.09,1.47,\(field)")
    #expect(try #require(reading.gsa).systemID == nil)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: ["0.0", "99.0", "99.99", "-1.0"])
  func `GSA: dilutions of 0 and of 99 or more are unknown`(dilution: String) throws {
    let gsa = try #require(read("GPGSA,A,1,,,,,,,,,,,,,\(dilution),1.0,\(dilution)").gsa)
    #expect(knownFields(of: gsa) == ["selection", "mode", "satellites", "_horizontalDilution"])
  }
}
