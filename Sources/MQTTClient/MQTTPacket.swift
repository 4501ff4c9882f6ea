// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// A packet of MQTT 3.1.1, as far as a client with QoS 0 and 1 needs it.
///
/// Source: OASIS, "MQTT Version 3.1.1", chapter 3.
package enum MQTTPacket: Equatable, Sendable {
  package struct Connect: Equatable, Sendable {
    package var clientID: String
    /// Whether the broker discards the subscriptions and messages of the last connection.
    package var isCleanSession = false
    package var keepAliveSeconds: UInt16 = 30
    package var username: String?
    package var password: String?
    /// The message that the broker publishes with QoS 1 if the connection is lost.
    package var will: Publish?

    package init(
      clientID: String, isCleanSession: Bool = false, keepAliveSeconds: UInt16 = 30,
      username: String? = nil, password: String? = nil, will: Publish? = nil
    ) {
      (self.clientID, self.isCleanSession) = (clientID, isCleanSession)
      (self.keepAliveSeconds, self.username) = (keepAliveSeconds, username)
      (self.password, self.will) = (password, will)
    }
  }

  package struct Publish: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    /// The identifier of a message with QoS 1; `nil` for QoS 0.
    package var id: UInt16?
    package var isDuplicate = false
    package var isRetained = false

    package init(
      topic: String, payload: [UInt8], id: UInt16? = nil, isDuplicate: Bool = false,
      isRetained: Bool = false
    ) {
      (self.topic, self.payload, self.id) = (topic, payload, id)
      (self.isDuplicate, self.isRetained) = (isDuplicate, isRetained)
    }
  }

  case connect(Connect)
  case connack(code: UInt8, isSessionPresent: Bool)
  case publish(Publish)
  case puback(id: UInt16)
  /// Subscriptions, all with the same QoS.
  case subscribe(id: UInt16, filters: [String], qos: UInt8 = 1)
  case suback(id: UInt16, codes: [UInt8])
  case pingreq
  case pingresp
  case disconnect

  /// The identifier of a SUBSCRIBE; those of a PUBLISH are smaller.
  package static let subscribeID = UInt16.max

  // MARK: Encoding

  package func write(to buffer: inout ByteBuffer) {
    var body = ByteBuffer()
    let type: UInt8
    switch self {
    case .connect(let connect):
      type = 0x10
      body.writeString("\0\u{4}MQTT\u{4}")
      let flags: UInt8 =
        (connect.isCleanSession ? 0x02 : 0) | (connect.username == nil ? 0 : 0x80)
        | (connect.password == nil ? 0 : 0x40)
        | (connect.will.map { $0.isRetained ? 0x2C : 0x0C } ?? 0)
      body.writeInteger(flags)
      body.writeInteger(connect.keepAliveSeconds)
      body.writeText(connect.clientID)
      if let will = connect.will {
        body.writeText(will.topic)
        body.writeData(will.payload)
      }
      for text in [connect.username, connect.password].compactMap({ $0 }) { body.writeText(text) }
    case .connack(let code, let isSessionPresent):
      type = 0x20
      body.writeBytes([isSessionPresent ? 1 : 0, code])
    case .publish(let publish):
      type =
        0x30 | (publish.isDuplicate ? 0x08 : 0) | (publish.id == nil ? 0 : 0x02)
        | (publish.isRetained ? 0x01 : 0)
      body.writeText(publish.topic)
      if let id = publish.id { body.writeInteger(id) }
      body.writeBytes(publish.payload)
    case .puback(let id):
      type = 0x40
      body.writeInteger(id)
    case .subscribe(let id, let filters, let qos):
      type = 0x82
      body.writeInteger(id)
      for filter in filters {
        body.writeText(filter)
        body.writeInteger(qos)
      }
    case .suback(let id, let codes):
      type = 0x90
      body.writeInteger(id)
      body.writeBytes(codes)
    case .pingreq: type = 0xC0
    case .pingresp: type = 0xD0
    case .disconnect: type = 0xE0
    }
    buffer.writeInteger(type)
    var length = body.readableBytes
    repeat {
      let digit = UInt8(length & 0x7F)
      length >>= 7
      buffer.writeInteger(length > 0 ? digit | 0x80 : digit)
    } while length > 0
    buffer.writeBuffer(&body)
  }

  // MARK: Decoding

  /// Reads the next packet; `nil` if the buffer does not contain a complete packet.
  ///
  /// Throws `MQTTFailure` if the packet is malformed, or longer than `maxLength` bytes.
  package static func read(
    from buffer: inout ByteBuffer, maxLength: Int = MQTTPacketDecoder.maxLength
  ) throws(MQTTFailure) -> MQTTPacket? {
    var input = buffer
    guard let (type, length) = try readHeader(from: &input) else { return nil }
    guard length <= maxLength else {
      throw MQTTFailure("the broker sent a packet of \(length) bytes, which is too long")
    }
    guard var body = input.readSlice(length: length) else { return nil }
    buffer = input
    guard let packet = MQTTPacket(type: type, body: &body) else {
      throw MQTTFailure("the broker sent a malformed packet of type \(type >> 4)")
    }
    return packet
  }

  /// Reads a PUBLISH that is longer than `maxLength` bytes, without its payload.
  ///
  /// - Returns: The message with an empty payload, and the number of bytes to skip; `nil` if the
  ///   buffer begins with another packet, or does not contain the topic.
  static func readLongPublish(
    from buffer: inout ByteBuffer, maxLength: Int
  ) throws(MQTTFailure) -> (packet: MQTTPacket, skipCount: Int)? {
    var input = buffer
    guard let (type, length) = try readHeader(from: &input), type >> 4 == 3, length > maxLength,
      let topicLength = input.getInteger(at: input.readerIndex, as: UInt16.self)
    else { return nil }
    let count = 2 + Int(topicLength) + (type & 0x06 == 0 ? 0 : 2)
    // A topic that is longer than its packet.
    guard count <= length else {
      throw MQTTFailure("the broker sent a malformed packet of type 3")
    }
    guard var head = input.readSlice(length: count) else { return nil }
    guard let packet = MQTTPacket(type: type, body: &head) else {
      throw MQTTFailure("the broker sent a malformed packet of type 3")
    }
    buffer = input
    return (packet, length - count)
  }

  /// Whether the buffer begins with a PUBLISH that is longer than `maxLength` bytes.
  static func isLongPublish(_ buffer: ByteBuffer, maxLength: Int) -> Bool {
    var input = buffer
    guard let header = try? readHeader(from: &input) else { return false }
    return header.type >> 4 == 3 && header.length > maxLength
  }

  private static func readHeader(
    from input: inout ByteBuffer
  ) throws(MQTTFailure) -> (type: UInt8, length: Int)? {
    guard let type = input.readInteger(as: UInt8.self) else { return nil }
    var length = 0
    for shift in [0, 7, 14, 21, 28] {
      guard shift < 28 else { throw MQTTFailure("the broker sent a malformed length") }
      guard let digit = input.readInteger(as: UInt8.self) else { return nil }
      length |= Int(digit & 0x7F) << shift
      if digit & 0x80 == 0 { break }
    }
    return (type, length)
  }

  private init?(type: UInt8, body: inout ByteBuffer) {
    switch type >> 4 {
    case 1:
      guard body.readBytes(length: 7) == Array("\0\u{4}MQTT\u{4}".utf8),
        let flags = body.readInteger(as: UInt8.self),
        let seconds = body.readInteger(as: UInt16.self), let clientID = body.readText()
      else { return nil }
      var connect = Connect(
        clientID: clientID, isCleanSession: flags & 0x02 != 0, keepAliveSeconds: seconds)
      if flags & 0x04 != 0 {
        guard let topic = body.readText(), let length = body.readInteger(as: UInt16.self),
          let payload = body.readBytes(length: Int(length))
        else { return nil }
        connect.will = Publish(topic: topic, payload: payload, isRetained: flags & 0x20 != 0)
      }
      if flags & 0x80 != 0 { connect.username = body.readText() }
      if flags & 0x40 != 0 { connect.password = body.readText() }
      self = .connect(connect)
    case 2:
      guard let flags = body.readInteger(as: UInt8.self),
        let code = body.readInteger(as: UInt8.self)
      else { return nil }
      self = .connack(code: code, isSessionPresent: flags & 1 != 0)
    case 3:
      guard let topic = body.readText() else { return nil }
      var publish = Publish(
        topic: topic, payload: [], isDuplicate: type & 0x08 != 0, isRetained: type & 0x01 != 0)
      switch type >> 1 & 3 {
      case 0: break
      case 1:
        guard let id = body.readInteger(as: UInt16.self), id != 0 else { return nil }
        publish.id = id
      default: return nil
      }
      publish.payload = Array(body.readableBytesView)
      self = .publish(publish)
    case 4:
      guard let id = body.readInteger(as: UInt16.self) else { return nil }
      self = .puback(id: id)
    case 8:
      guard let id = body.readInteger(as: UInt16.self) else { return nil }
      var filters: [String] = []
      var qos: UInt8 = 1
      while let filter = body.readText(), let value = body.readInteger(as: UInt8.self) {
        filters.append(filter)
        qos = value
      }
      self = .subscribe(id: id, filters: filters, qos: qos)
    case 9:
      guard let id = body.readInteger(as: UInt16.self) else { return nil }
      self = .suback(id: id, codes: Array(body.readableBytesView))
    case 12: self = .pingreq
    case 13: self = .pingresp
    case 14: self = .disconnect
    default: return nil
    }
  }
}

extension ByteBuffer {
  /// Writes a text with its length; a text is cut at 65,535 bytes.
  fileprivate mutating func writeText(_ text: String) { writeData(Array(text.utf8)) }

  fileprivate mutating func writeData(_ bytes: [UInt8]) {
    let bytes = bytes.prefix(Int(UInt16.max))
    writeInteger(UInt16(bytes.count))
    writeBytes(bytes)
  }

  fileprivate mutating func readText() -> String? {
    guard let length = readInteger(as: UInt16.self),
      let bytes = readBytes(length: Int(length))
    else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
