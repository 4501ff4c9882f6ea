// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Splits the bytes of a broker into packets.
///
/// The payload of a message that is too long is skipped. An error would end the connection before
/// PUBACK, and the broker would send the message again after each new connection.
package struct MQTTPacketDecoder: NIOSingleStepByteToMessageDecoder {
  package typealias InboundOut = MQTTPacket

  /// The number of bytes of a payload that are still to be skipped.
  private var skipCount = 0

  package init() {}

  package mutating func decode(buffer: inout ByteBuffer) throws -> MQTTPacket? {
    if skipCount > 0 {
      let count = min(skipCount, buffer.readableBytes)
      buffer.moveReaderIndex(forwardBy: count)
      skipCount -= count
      guard skipCount == 0 else { return nil }
    }
    guard MQTTPacket.isLongPublish(buffer) else { return try MQTTPacket.read(from: &buffer) }
    guard let (packet, rest) = try MQTTPacket.readLongPublish(from: &buffer) else { return nil }
    skipCount = rest
    return packet
  }

  package mutating func decodeLast(
    buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> MQTTPacket? {
    try decode(buffer: &buffer)
  }
}
