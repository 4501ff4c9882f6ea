// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PCD")
struct PCDTests {
  @Test func `PCD: every field of a real sentence is read`() throws {
    let reading = Reading("$PCD,11,2*65\r\n")
    #expect(try #require(reading.pcd).antenna == .external)
    #expect(reading.errors.isEmpty)
  }

  @Test(
    arguments: [
      ("PCD,11,1", .internal), ("PCD,11,2", .external), ("PCD,11,3", .shorted),
      ("PCD,11,0", nil), ("PCD,11,4", nil), ("PCD,11,", nil), ("PCD,11,,", nil),
    ] as [(String, AntennaState?)])
  func `PCD: each documented number is a state of the antenna, and other numbers are unknown`(
    body: String, antenna: AntennaState?
  ) throws {
    #expect(try #require(read(body).pcd).antenna == antenna)
  }

  @Test func `PCD: other messages with the same address are passed over`() {
    #expect(read("PCD,12,1").unsupported == ["PCD"])
  }

  @Test func `PCD: a malformed field is reported with its number`() {
    Flaw("PCD,11,100", .outOfRange, field: 2, "100").check()
  }
}
