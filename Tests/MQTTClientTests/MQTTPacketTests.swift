// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import NIOCore
import SystemSupport
import Testing

@testable import MQTTClient

@Suite("MQTT packets")
struct MQTTPacketTests {
  private static let packets: [MQTTPacket] = [
    .connect(.init(clientID: "fixcast-fleet-a", keepAliveSeconds: 20)),
    .connect(.init(clientID: "c", isCleanSession: true, username: "u", password: "pä")),
    .connack(code: 0, isSessionPresent: true), .connack(code: 5, isSessionPresent: false),
    .publish(.init(topic: "fleet/v1/a/b1/ack", payload: [])),
    .publish(
      .init(
        topic: "t", payload: Array(repeating: 7, count: 70_000), id: 65_535, isDuplicate: true,
        isRetained: true)),
    .puback(id: 1), .subscribe(id: 1, filters: ["fleet/v1/a/+/fix", "x"]),
    .suback(id: 1, codes: [1, 128]), .pingreq, .pingresp, .disconnect,
  ]

  @Test func `a decoded packet equals the encoded one, whatever the pieces in which it arrives`() throws {
    var bytes = ByteBuffer()
    for packet in Self.packets { packet.write(to: &bytes) }
    var (input, decoded) = (ByteBuffer(), [MQTTPacket]())
    while let piece = bytes.readSlice(length: min(bytes.readableBytes, 997)),
      piece.readableBytes > 0
    {
      input.writeImmutableBuffer(piece)
      while let packet = try MQTTPacket.read(from: &input) { decoded.append(packet) }
    }
    #expect(decoded == Self.packets)
  }

  @Test func `CONNECT keeps the session of the last connection, as the bytes of the standard say`() {
    var buffer = ByteBuffer()
    MQTTPacket.connect(.init(clientID: "a", keepAliveSeconds: 20)).write(to: &buffer)
    let expected: [UInt8] =
      [0x10, 13, 0, 4] + Array("MQTT".utf8) + [4, 0, 0, 20, 0, 1, UInt8(ascii: "a")]
    #expect(Array(buffer.readableBytesView) == expected)
  }

  @Test func `a message that is too long has its topic and identifier, and the next one is read`() throws {
    var bytes = ByteBuffer()
    let payload = [UInt8](repeating: 65, count: MQTTPacketDecoder.maxLength + 7)
    MQTTPacket.publish(.init(topic: "a/b", payload: payload, id: 9)).write(to: &bytes)
    MQTTPacket.puback(id: 3).write(to: &bytes)
    var decoder = MQTTPacketDecoder()
    var input = ByteBuffer()
    var decoded: [MQTTPacket] = []
    while let piece = bytes.readSlice(length: min(bytes.readableBytes, 65_521)),
      piece.readableBytes > 0
    {
      input.writeImmutableBuffer(piece)
      while let packet = try decoder.decode(buffer: &input) { decoded.append(packet) }
      #expect(input.readableBytes < 100)
    }
    #expect(decoded == [.publish(.init(topic: "a/b", payload: [], id: 9)), .puback(id: 3)])
  }

  @Test func `a packet that is too long or malformed is an error, and never a crash`() {
    let inputs: [[UInt8]] = [
      [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x30, 0xFF, 0xFF, 0xFF, 0x7F], [0x30, 1, 0],
      [0x32, 3, 0, 1, 65], [0x32, 5, 0, 1, 65, 0, 0], [0x34, 5, 0, 1, 65, 0, 1], [0x20, 1, 0],
      [0x00, 0], [0xF0, 0], [0x30, 3, 0, 1, 0xFF], [0x40, 0],
    ]
    for input in inputs {
      var buffer = ByteBuffer(bytes: input)
      #expect(throws: MQTTFailure.self, "\(input)") { try MQTTPacket.read(from: &buffer) }
    }
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<RandomInputs.count(20_000) {
      var bytes = (0..<Int.random(in: 0..<30, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if bytes.count > 1 { bytes[1] = UInt8(bytes.count - 2) }
      var buffer = ByteBuffer(bytes: bytes)
      _ = try? MQTTPacket.read(from: &buffer)
    }
  }

  @Test func `the address of a broker has a host, a port and a scheme, and nothing else`() throws {
    #expect(BrokerAddress("mqtt://b")?.description == "mqtt://b:1883")
    #expect(BrokerAddress("mqtts://b.example:99")?.description == "mqtts://b.example:99")
    let address = try #require(BrokerAddress("mqtts://[::1]"))
    #expect(address.server.host.text == "::1")
    #expect(address.server.port == 8883)
    #expect(address.isSecure)
    for text in ["", "b", "http://b", "mqtt://", "mqtt://b:0", "mqtt://b:x", "mqtt://u:p@b"] {
      #expect(BrokerAddress(text) == nil, "\(text)")
    }
  }
}
