// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PCD")
struct PCDTests {
  @Test("PCD: every field of a real sentence is read")
  func readsEveryField() throws {
    let reading = Reading("$PCD,11,2*65\r\n")
    #expect(try #require(reading.pcd).antenna == .external)
    #expect(reading.errors.isEmpty)
  }

  @Test(
    "PCD: each documented number is a state of the antenna, and other numbers are unknown",
    arguments: [
      ("PCD,11,1", .internal), ("PCD,11,2", .external), ("PCD,11,3", .shorted),
      ("PCD,11,0", nil), ("PCD,11,4", nil), ("PCD,11,", nil), ("PCD,11,,", nil),
    ] as [(String, AntennaState?)])
  func readsStates(body: String, antenna: AntennaState?) throws {
    #expect(try #require(read(body).pcd).antenna == antenna)
  }

  @Test("PCD: other messages with the same address are passed over")
  func ignoresOtherMessages() {
    #expect(read("PCD,12,1").unsupported == ["PCD"])
  }

  @Test("PCD: a malformed field is reported with its number")
  func reportsFieldNumber() { Flaw("PCD,11,100", .outOfRange, field: 2, "100").check() }
}
