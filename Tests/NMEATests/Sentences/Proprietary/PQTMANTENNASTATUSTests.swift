// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PQTMANTENNASTATUS")
struct PQTMANTENNASTATUSTests {
  @Test func `PQTMANTENNASTATUS: every field of a real sentence is read`() throws {
    let reading = Reading("$PQTMANTENNASTATUS,3,2,1,1*52\r\n")
    #expect(try #require(reading.pqtmantennastatus).antenna == .open)
    #expect(reading.errors.isEmpty)
  }

  @Test(
    arguments: [
      ("PQTMANTENNASTATUS,3,0,1,1", .unknown), ("PQTMANTENNASTATUS,3,1,2,1", .good),
      ("PQTMANTENNASTATUS,2,2,2,2,2", .open), ("PQTMANTENNASTATUS,2,3,2,1,2", .shorted),
      // The fields of other versions differ.
      ("PQTMANTENNASTATUS,1,0,1", nil), ("PQTMANTENNASTATUS,0,2,1", nil),
      ("PQTMANTENNASTATUS,3,9,1,1", nil), ("PQTMANTENNASTATUS,", nil),
    ] as [(String, AntennaState?)])
  func `PQTMANTENNASTATUS: each documented number is a state of the antenna, and other numbers are unknown`(
    body: String, antenna: AntennaState?
  ) throws {
    #expect(try #require(read(body).pqtmantennastatus).antenna == antenna)
  }

  @Test func `PQTMANTENNASTATUS: other sentences of the same maker are passed over`() {
    #expect(read("PQTMANTELOPE,3,2,1,1").unsupported == ["PQTMANTE"])
  }
}
