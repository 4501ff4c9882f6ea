// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("PGRMM")
struct PGRMMTests {
  @Test(
    "PGRMM: the datum of real sentences is read",
    arguments: [("$PGRMM,WGS 84*06\r\n", PGRMM.wgs84), ("$PGRMM,NAD83*29\r\n", PGRMM.nad83)])
  func readsTheDatum(sentence: String, datum: UInt64) throws {
    let reading = Reading(sentence)
    #expect(try #require(reading.pgrmm).datum == datum)
    #expect(reading.errors.isEmpty)
  }

  @Test("PGRMM: an empty datum is unknown")
  func readsEmptyAsUnknown() throws {
    #expect(try #require(read("PGRMM,").pgrmm).datum == nil)
  }

  @Test(
    "PGRMM: spaces and case of the datum are ignored", arguments: ["PGRMM,WGS84", "PGRMM,wgs 84 "])
  func normalizes(body: String) throws {
    #expect(try #require(read(body).pgrmm).datum == PGRMM.wgs84)
  }

  @Test("PGRMM: only the first eight bytes of a long name are kept")
  func keepsEightBytes() throws {
    let long = try #require(read("PGRMM,NAD27 CONUS").pgrmm).datum
    #expect(long == (try #require(read("PGRMM,NAD27 CO").pgrmm).datum))
    #expect(long != PGRMM.nad83)
  }
}
