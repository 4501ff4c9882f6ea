// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import NIOCore
import Testing

@testable import MQTTClient

/// Bytes of a broker that are incomplete, damaged or made up: each is an error or needs more bytes.
@Suite("Hostile bytes of an MQTT broker")
struct MQTTHostileBytesTests {
  private static let packets: [MQTTPacket] = [
    .connect(
      .init(
        clientID: "c", isCleanSession: true, username: "u", password: "p",
        will: .init(topic: "w", payload: [1, 2], isRetained: true))),
    .connack(code: 0, isSessionPresent: true),
    .publish(.init(topic: "a/b", payload: [7], id: 9, isDuplicate: true, isRetained: true)),
    .publish(.init(topic: "t", payload: [UInt8](repeating: 65, count: 200))),
    .puback(id: 1), .subscribe(id: .max, filters: ["a", "b/#"], qos: 0),
    .suback(id: 1, codes: [0, 128]), .pingreq, .pingresp, .disconnect,
  ]

  private static func bytes(_ packet: MQTTPacket) -> [UInt8] {
    var buffer = ByteBuffer()
    packet.write(to: &buffer)
    return Array(buffer.readableBytesView)
  }

  /// Decodes bytes in pieces; returns the packets before an error.
  private static func decode(_ bytes: [UInt8], piece: Int, maxLength: Int) -> [MQTTPacket] {
    var decoder = MQTTPacketDecoder(maxLength: maxLength)
    var (buffer, packets) = (ByteBuffer(), [MQTTPacket]())
    for start in stride(from: 0, to: bytes.count, by: piece) {
      buffer.writeBytes(bytes[start..<min(start + piece, bytes.count)])
      do {
        while let packet = try decoder.decode(buffer: &buffer) { packets.append(packet) }
      } catch {
        #expect(error is MQTTFailure)
        return packets
      }
      // The decoder keeps at most a packet of the limit, with its header or its topic.
      #expect(buffer.readableBytes <= max(maxLength, 65_539) + 5)
    }
    return packets
  }

  @Test func `each truncation of each packet needs more bytes, and each packet survives a round trip`() throws {
    for packet in Self.packets {
      let bytes = Self.bytes(packet)
      for count in 0..<bytes.count {
        var buffer = ByteBuffer(bytes: bytes.prefix(count))
        #expect(try MQTTPacket.read(from: &buffer) == nil, "\(packet) \(count)")
        #expect(buffer.readableBytes == count)
      }
      #expect(Self.decode(bytes, piece: 1, maxLength: 1000) == [packet])
    }
  }

  @Test func `a body that ends early, with a length that says so, is an error or a shorter packet`() {
    for packet in Self.packets {
      let bytes = Self.bytes(packet)
      let start = (bytes.dropFirst().firstIndex { $0 & 0x80 == 0 } ?? 1) + 1
      for count in 0..<(bytes.count - start) {
        var input = ByteBuffer(bytes: [bytes[0]])
        if count < 128 {
          input.writeInteger(UInt8(count))
        } else {
          input.writeBytes([UInt8(count & 0x7F) | 0x80, UInt8(count >> 7)])
        }
        input.writeBytes(bytes[start..<(start + count)])
        do {
          #expect(try MQTTPacket.read(from: &input) != nil)
          #expect(input.readableBytes == 0)
        } catch { continue }
      }
    }
  }

  @Test func `one changed byte in each place is an error, another packet or needs more bytes`() {
    for packet in Self.packets {
      let bytes = Self.bytes(packet)
      for index in bytes.indices {
        for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
          var changed = bytes
          changed[index] = value
          _ = Self.decode(changed + bytes, piece: changed.count, maxLength: 100)
        }
      }
    }
  }

  @Test(arguments: [1, 7, 4096])
  func `random bytes never end the program, whatever the pieces in which they arrive`(piece: Int) {
    var generator = SeededGenerator(seed: UInt64(piece))
    for _ in 0..<RandomInputs.count(3000) {
      var bytes = (0..<Int.random(in: 0..<300, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      // Half of the inputs begin with the header of a packet.
      if let packet = Self.packets.randomElement(using: &generator), Bool.random(using: &generator) {
        bytes = Self.bytes(packet).prefix(Int.random(in: 0..<12, using: &generator)) + bytes
      }
      _ = Self.decode(bytes, piece: piece, maxLength: 64)
    }
  }

  @Test func `a message above the limit is skipped without its payload in memory`() {
    let long = MQTTPacket.publish(.init(topic: "a", payload: [UInt8](repeating: 1, count: 5000)))
    let bytes = Self.bytes(long) + Self.bytes(.puback(id: 3))
    var decoder = MQTTPacketDecoder(maxLength: 100)
    var (buffer, packets) = (ByteBuffer(), [MQTTPacket]())
    for byte in bytes {
      buffer.writeInteger(byte)
      while let packet = try? decoder.decode(buffer: &buffer) { packets.append(packet) }
      #expect(buffer.readableBytes < 10)
    }
    #expect(packets == [.publish(.init(topic: "a", payload: [])), .puback(id: 3)])
    // Another packet of that length is an error.
    var suback = ByteBuffer(bytes: Self.bytes(.suback(id: 1, codes: Array(repeating: 0, count: 200))))
    #expect(throws: MQTTFailure.self) { try decoder.decode(buffer: &suback) }
  }
}
