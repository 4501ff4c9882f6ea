// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PGRMM")
struct PGRMMTests {
  @Test(arguments: [("$PGRMM,WGS 84*06\r\n", PGRMM.wgs84), ("$PGRMM,NAD83*29\r\n", PGRMM.nad83)])
  func `PGRMM: the datum of real sentences is read`(sentence: String, datum: UInt64) throws {
    let reading = Reading(sentence)
    #expect(try #require(reading.pgrmm).datum == datum)
    #expect(reading.errors.isEmpty)
  }

  @Test func `PGRMM: an empty datum is unknown`() throws {
    #expect(try #require(read("PGRMM,").pgrmm).datum == nil)
  }

  @Test(arguments: ["PGRMM,WGS84", "PGRMM,wgs 84 "])
  func `PGRMM: spaces and case of the datum are ignored`(body: String) throws {
    #expect(try #require(read(body).pgrmm).datum == PGRMM.wgs84)
  }

  @Test func `PGRMM: only the first eight bytes of a long name are kept`() throws {
    let long = try #require(read("PGRMM,NAD27 CONUS").pgrmm).datum
    #expect(long == (try #require(read("PGRMM,NAD27 CO").pgrmm).datum))
    #expect(long != PGRMM.nad83)
  }
}
