// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PGRMV")
struct PGRMVTests {
  @Test func `PGRMV: every field of a real sentence is read`() throws {
    let reading = Reading("$PGRMV,0.0,0.0,0.0*5C\r\n")
    let fields = try #require(reading.pgrmv)
    #expect(fields.eastMetersPerSecond == 0)
    #expect(fields.northMetersPerSecond == 0)
    #expect(fields.upMetersPerSecond == 0)
    #expect(reading.errors.isEmpty)
  }

  @Test func `PGRMV: velocities of either sign are read`() throws {
    let fields = try #require(read("PGRMV,-1.5,2.5,-0.25").pgrmv)
    #expect(fields.eastMetersPerSecond == -1.5)
    #expect(fields.northMetersPerSecond == 2.5)
    #expect(fields.upMetersPerSecond == -0.25)
  }

  @Test(arguments: ["PGRMV,,,", "PGRMV,"])
  func `PGRMV: empty and missing fields are unknown`(body: String) throws {
    let reading = read(body)
    #expect(knownFields(of: try #require(reading.pgrmv)).isEmpty)
    #expect(reading.errors.isEmpty)
  }

  @Test(arguments: [
    Flaw("PGRMV,x,0.0,0.0", .malformedNumber, field: 1, "x"),
    Flaw("PGRMV,0.0,0.0,100001", .outOfRange, field: 3, "100001"),
  ])
  func `PGRMV: a malformed field is reported with its number`(flaw: Flaw) { flaw.check() }
}
