// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("Sentence address")
struct SentenceAddressTests {
  @Test(arguments: ["GP", "GN", "GL", "GA", "GB", "BD", "GQ", "QZ", "GI", "II", "PQ", "ZZ", "G1", "??"])
  func `any two bytes are accepted as a talker`(talker: String) throws {
    let addresses = read("\(talker)HDT,1.5,T").addresses
    #expect(addresses == [talker + "HDT"])
    #expect(try #require(address(of: "\(talker)HDT,1.5,T")).talker.description == talker)
  }

  @Test func `each known talker equals its constant`() throws {
    let known: [(String, Talker)] = [
      ("GP", .gps), ("GN", .combined), ("GL", .glonass), ("GA", .galileo), ("GB", .beidou),
      ("BD", .beidouEarly), ("GQ", .qzss), ("QZ", .qzssEarly), ("GI", .navic), ("PQ", .quectel),
      ("II", .instrumentation),
    ]
    for (letters, talker) in known {
      #expect(try #require(address(of: "\(letters)GSV,1")).talker == talker)
    }
    #expect(Set(known.map(\.1)).count == known.count)
  }

  @Test func `a proprietary address is not read as a standard sentence`() {
    let makers = ["PGRMC,1,1,1", "PXGGA,1", "PAGSV,1,1,0", "PSGSA,A,1", "PGHDT,1.5,T"]
    for body in makers { #expect(read(body).sentences.isEmpty) }
    #expect(read("PQGSV,1,1,00").gsv?.satellitesInView == 0)
    #expect(read("PQGSA,A,1").gsa?.mode == 1)
    #expect(read("PGRME,1,M,1,M,1,M").pgrme?.horizontalErrorMeters == 1)
  }

  @Test(arguments: 1...12)
  func `a sentence address ends at the first comma, at the checksum or after eight bytes`(length: Int) throws {
    let letters = "ABCDEFGHIJKL".prefix(length)
    let kept = letters.prefix(8)
    for rest in [",1,2,3,4,5", ",,,,,,,,,", ",-,-,-,-,-", ""] where length + rest.count > 4 {
      let found = try #require(address(of: letters + rest))
      #expect(found.description == kept)
      #expect(Int(found.count) == kept.count)
      #expect(found.isProprietary == false)
    }
  }

  @Test(arguments: 0..<8)
  func `only a comma ends a sentence address, at any position`(place: Int) throws {
    for byte in UInt8(0x20)...UInt8.max where byte != 0x24 {
      var body = [UInt8](repeating: 0x41, count: 12)
      body[place] = byte
      let found = address(of: body)
      #expect(found.map { Int($0.count) } ?? 0 == (byte == 0x2C ? place : 8))
    }
  }

  @Test func `a sentence address is proprietary if its first letter is P`() throws {
    #expect(try #require(address(of: "PUBX,00,1")).isProprietary)
    #expect(try #require(address(of: "P,1,2,3")).isProprietary)
    #expect(try #require(address(of: "P,1,2,3")).talker == Talker(0, 0))
    #expect(try !#require(address(of: "GPGGA,1")).isProprietary)
  }

  private func address(of body: some StringProtocol) -> SentenceAddress? {
    address(of: Array(body.utf8))
  }

  private func address(of body: [UInt8]) -> SentenceAddress? {
    let line = lineBytes(body)
    return SentenceAddress(line.span, end: body.count + 1)
  }
}
