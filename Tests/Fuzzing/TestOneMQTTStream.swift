// SPDX-License-Identifier: Apache-2.0

import MQTTClient
import NIOCore

/// Tests the bytes of one MQTT broker that libFuzzer has generated.
///
/// - Parameters:
///   - data: The bytes; may be `nil` if `count` is 0. The first byte defines the length of the pieces.
///   - count: The number of bytes.
/// - Returns: Always 0, so that libFuzzer may add the input to its corpus.
func testOneMQTTStream(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let data, count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data + 1, count: count - 1))
  check(packets(in: bytes, piece: bytes.count) == packets(in: bytes, piece: 1 + Int(data[0])))
  return 0
}

/// Decodes the input in pieces; returns the packets before the end or an error.
private func packets(in bytes: [UInt8], piece: Int) -> [MQTTPacket] {
  var decoder = MQTTPacketDecoder(maxLength: 64)
  var (buffer, packets) = (ByteBuffer(), [MQTTPacket]())
  for start in stride(from: 0, to: bytes.count, by: piece) {
    buffer.writeBytes(bytes[start..<min(start + piece, bytes.count)])
    do { while let packet = try decoder.decode(buffer: &buffer) { packets.append(packet) } } catch {
      check(error is MQTTFailure)
      break
    }
  }
  return packets
}
