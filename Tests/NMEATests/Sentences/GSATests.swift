// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("GSA")
struct GSATests {
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
  func `GSA: dilutions of 0 and of 99 or more are unknown`(dilution: String) {
    SentenceCase(
      "GPGSA,A,1,,,,,,,,,,,,,\(dilution),1.0,\(dilution)", "gsa",
      ["selection": UInt8(ascii: "A"), "mode": 1, "satellites": [Int](), "horizontalDilution": 1.0]
    ).check()
  }
}
