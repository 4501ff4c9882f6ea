// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// Splits the bytes of a broker into packets.
package struct MQTTPacketDecoder: NIOSingleStepByteToMessageDecoder {
  package typealias InboundOut = MQTTPacket

  package init() {}

  package mutating func decode(buffer: inout ByteBuffer) throws -> MQTTPacket? {
    try MQTTPacket.read(from: &buffer)
  }

  package mutating func decodeLast(
    buffer: inout ByteBuffer, seenEOF: Bool
  ) throws -> MQTTPacket? {
    try decode(buffer: &buffer)
  }
}
