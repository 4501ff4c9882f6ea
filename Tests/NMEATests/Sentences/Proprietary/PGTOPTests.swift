// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PGTOP")
struct PGTOPTests {
  @Test func `PGTOP: every field of a real sentence is read`() throws {
    let reading = Reading("$PGTOP,11,3*6F\r\n")
    #expect(try #require(reading.pgtop).antenna == .external)
    #expect(reading.errors.isEmpty)
  }

  @Test(
    arguments: [
      ("PGTOP,11,1", .shorted), ("PGTOP,11,2", .internal), ("PGTOP,11,3", .external),
      ("PGTOP,11,0", nil), ("PGTOP,11,4", nil), ("PGTOP,11,", nil), ("PGTOP,11", nil),
    ] as [(String, AntennaState?)])
  func `PGTOP: each documented number is a state of the antenna, and other numbers are unknown`(
    body: String, antenna: AntennaState?
  ) throws {
    #expect(try #require(read(body).pgtop).antenna == antenna)
  }

  @Test func `PGTOP: other messages with the same address are passed over`() {
    #expect(read("PGTOP,12,1").unsupported == ["PGTOP"])
  }

  @Test func `PGTOP: a malformed field is reported with its number`() {
    Flaw("PGTOP,11,x", .malformedNumber, field: 2, "x").check()
  }
}
