// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FleetProtocol

@Suite("Fleet topics")
struct FleetTopicTests {
  @Test func `a board id has 1 to 32 lower-case letters, digits and hyphens`() {
    for text in ["b00001", "a", "van-7", String(repeating: "x", count: 32)] {
      #expect(FleetBoardID(text)?.text == text)
    }
    for text in ["", "B1", "a b", "a.b", "a/b", "+", "#", "$sys", "ä", "a\0", "a_b"] {
      #expect(FleetBoardID(text) == nil, "\(text)")
    }
    #expect(FleetBoardID(String(repeating: "x", count: 33)) == nil)
  }

  @Test func `the default board id is a hash of the machine id, and the shard a hash of the board id`() throws {
    // Computed with Python's hashlib.
    let board = try #require(FleetBoardID(machineID: "0123456789abcdef0123456789abcdef\n"))
    #expect(board.text == "11e1a3be075f55e6")
    #expect(board.shard.description == "1")
    #expect(FleetBoardID("b00001")?.shard.description == "0")
    #expect(FleetBoardID(machineID: "uninitialized\n") == nil)
    #expect(FleetBoardID(machineID: "") == nil)
  }

  @Test func `the boards of a fleet are spread over all 16 shards`() throws {
    var counts = [Int](repeating: 0, count: 16)
    for number in 0..<1600 { counts[try #require(FleetBoardID("b\(number)")).shard.number] += 1 }
    #expect(counts.allSatisfy { (60...140).contains($0) }, "\(counts)")
  }

  @Test func `a topic is parsed to what it was made of, and other texts are rejected`() throws {
    let board = try #require(FleetBoardID("b00001"))
    for kind in FleetTopic.Kind.allCases {
      let topic = FleetTopic(kind, board, shard: board.shard)
      #expect(FleetTopic(topic.description) == topic)
    }
    let shard = try #require(FleetShard("a"))
    #expect(FleetTopic(.fix, board, shard: shard).description == "fleet/v1/a/b00001/fix")
    #expect(FleetTopic.filter(.fix, shard: shard) == "fleet/v1/a/+/fix")
    for text in [
      "", "fleet/v1/a/b1", "fleet/v1/a/b1/fix/x", "fleet/v2/a/b1/fix", "fleet/v1/A/b1/fix",
      "fleet/v1/g/b1/fix", "fleet/v1/aa/b1/fix", "fleet/v1//b1/fix", "fleet/v1/a//fix",
      "fleet/v1/a/b1/other", "/fleet/v1/a/b1/fix", "fleet/v1/+/b1/fix", "fleet/v1/-/b1/fix",
    ] { #expect(FleetTopic(text) == nil, "\(text)") }
  }
}
