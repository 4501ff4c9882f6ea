// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Splits the bytes of a broker into packets.
///
/// The payload of a message that is too long is skipped. An error would end the connection before
/// PUBACK, and the broker would send the message again after each new connection.
package struct MQTTPacketDecoder: NIOSingleStepByteToMessageDecoder {
  package typealias InboundOut = MQTTPacket

  /// The maximum length of a packet in bytes, for a program that must read batches.
  package static let maxLength = 1 << 20

  private let maxLength: Int
  /// The number of bytes of a payload that are still to be skipped.
  private var skipCount = 0

  /// Creates a decoder that skips the payload of a PUBLISH longer than `maxLength` bytes.
  package init(maxLength: Int = Self.maxLength) { self.maxLength = maxLength }

  package mutating func decode(buffer: inout ByteBuffer) throws -> MQTTPacket? {
    if skipCount > 0 {
      let count = min(skipCount, buffer.readableBytes)
      buffer.moveReaderIndex(forwardBy: count)
      skipCount -= count
      guard skipCount == 0 else { return nil }
    }
    guard MQTTPacket.isLongPublish(buffer, maxLength: maxLength) else {
      return try MQTTPacket.read(from: &buffer, maxLength: maxLength)
    }
    let head = try MQTTPacket.readLongPublish(from: &buffer, maxLength: maxLength)
    guard let (packet, rest) = head else { return nil }
    skipCount = rest
    return packet
  }

  package mutating func decodeLast(
    buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> MQTTPacket? {
    try decode(buffer: &buffer)
  }
}
