// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import FleetProtocol
import MQTTClient
import NIOCore
import Positioning
import SystemSupport
import Testing

@testable import FleetSimulator

@Suite("Simulated fleet")
struct SimulatedBoardTests {
  private static func board(_ change: (inout FleetSimulatorOptions) -> Void = { _ in }) throws
    -> SimulatedBoard
  {
    let broker = try #require(BrokerAddress("mqtt://127.0.0.1"))
    var options = FleetSimulatorOptions(brokers: [broker], boardCount: 1, seconds: 60, hertz: 1)
    change(&options)
    let epoch = try #require(FleetEpoch(3))
    return try #require(SimulatedBoard(options, number: 7, epoch: epoch, now: .at(0)))
  }

  @Test func `fixes are published in batches with all sequence numbers, and removed when acknowledged`() throws {
    var board = try Self.board()
    #expect(board.id.text == "sim-00007")
    board.make(70, lastAt: 1_790_000_070_000)
    board.connected(now: .at(0))
    var sequences: [Int64] = []
    for second in 0..<5 {
      let next = board.next(now: .at(second))
      guard let publish = next else { break }
      let batch = try FleetBatch(json: publish.payload)
      #expect(batch.isSimulated && batch.board == board.id)
      sequences += batch.entries.map(\.sequence)
      board.acknowledged(try #require(publish.id), now: .at(second))
    }
    #expect(sequences == Array(1...70))
    #expect(board.keptCount == 3 && board.report.acknowledgedCount == 0)
    board.received(Array(#"{"e":3,"s":60}"#.utf8), now: .at(9))
    board.received(Array(#"{"e":4,"s":70}"#.utf8), now: .at(9))
    board.received(Array("{".utf8), now: .at(9))
    #expect(board.keptCount == 1 && board.report.acknowledgedCount == 60)
    // Ten minutes later, the rest is published again, as the oldest batch of the outbox.
    let next = board.next(now: .at(610))
    let again = try FleetBatch(json: try #require(next).payload)
    #expect(again.entries.map(\.sequence) == Array(61...70) && again.previous == 0)
    #expect(board.report.resentCount == 1)
  }

  @Test func `the status follows each connection, and then at most once a minute`() throws {
    var board = try Self.board()
    board.make(2, lastAt: 1_790_000_002_000)
    board.connected(now: .at(0))
    let first = board.statusIfDue(now: .at(0))
    let publish = try #require(first)
    let status = try FleetStatus(json: publish.payload)
    #expect(publish.topic.hasSuffix("/sim-00007/status") && publish.isRetained)
    #expect(status.isOnline && status.isSimulated && status.pendingCount == 2)
    #expect(status.fix?.timeMilliseconds == 1_790_000_002_000)
    let early = board.statusIfDue(now: .at(59))
    let next = board.statusIfDue(now: .at(60))
    board.connected(now: .at(61))
    let again = board.statusIfDue(now: .at(61))
    #expect(early == nil && next != nil && again != nil)
  }

  @Test func `a board that is killed publishes again what is in its outbox`() throws {
    var board = try Self.board { $0.hasConsumer = false }
    board.make(30, lastAt: 1_790_000_030_000)
    board.connected(now: .at(0))
    #expect(board.next(now: .at(0)) != nil)
    board.restart(now: .at(1))
    board.connected(now: .at(1))
    let next = board.next(now: .at(1))
    board.acknowledged(try #require(next?.id), now: .at(1))
    #expect(board.keptCount == 0 && board.report.lostCount == 0)
    #expect(board.report.resentCount == 1 && board.report.killedCount == 1)
  }

  @Test func `packets survive a round trip, one byte at a time`() throws {
    let packets: [MQTTPacket] = [
      .connect(.init(clientID: "a", isCleanSession: true, username: "u", password: "p")),
      .connack(code: 5, isSessionPresent: true),
      .publish(.init(topic: "t", payload: [1, 2, 3], id: 9, isDuplicate: true)),
      .publish(.init(topic: "t", payload: [UInt8](repeating: 7, count: 20_000), isRetained: true)),
      .puback(id: 9), .subscribe(id: 1, filters: ["a", "b/#"]), .suback(id: 1, codes: [1, 128]),
      .pingreq, .pingresp, .disconnect,
    ]
    var (bytes, input) = (ByteBuffer(), ByteBuffer())
    for packet in packets { packet.write(to: &bytes) }
    var read: [MQTTPacket] = []
    while let byte = bytes.readInteger(as: UInt8.self) {
      input.writeInteger(byte)
      while let packet = try MQTTPacket.read(from: &input) { read.append(packet) }
    }
    #expect(read == packets)
  }
}
