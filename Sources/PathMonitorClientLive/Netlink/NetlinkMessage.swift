// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A message of a netlink datagram.
///
/// Header, in the host's byte order: length including the header (4 bytes), type (2), flags (2),
/// sequence number (4), port (4).
struct NetlinkMessage: Equatable, Sendable {
  static let headerLength = 16

  var type: UInt16
  var flags: UInt16
  var sequence: UInt32
  var payload: ArraySlice<UInt8>

  /// Parses the messages of a datagram, up to the first message that exceeds the datagram.
  static func messages(in datagram: [UInt8]) -> [NetlinkMessage] {
    var messages: [NetlinkMessage] = []
    var rest = datagram[...]
    while let length = rest.number(at: 0, as: UInt32.self).map(Int.init(truncatingIfNeeded:)),
      let type = rest.number(at: 4, as: UInt16.self),
      let flags = rest.number(at: 6, as: UInt16.self),
      let sequence = rest.number(at: 8, as: UInt32.self),
      length >= headerLength, length <= rest.count
    {
      let payload = rest.prefix(length).dropping(headerLength)
      messages.append(
        NetlinkMessage(type: type, flags: flags, sequence: sequence, payload: payload))
      rest = rest.dropping(netlinkAligned(length))
    }
    return messages
  }

  /// Whether the message ends a dump.
  var endsDump: Bool { type == UInt16(NLMSG_DONE) }

  /// The error number of an error message, as a positive errno.
  ///
  /// 0 means an acknowledgement; `nil` means that this is not an error message.
  var errorNumber: Int32? {
    guard type == UInt16(NLMSG_ERROR) else { return nil }
    guard let code = payload.number(at: 0, as: Int32.self) else { return Int32.max }
    return code == .min ? .max : abs(code)
  }

  /// The error that ended a dump early, as a positive errno; `nil` if none exists.
  var endOfDumpErrorNumber: Int32? {
    guard endsDump, let code = payload.number(at: 0, as: Int32.self), code < 0 else { return nil }
    return code == .min ? .max : -code
  }

  /// Whether the tables changed during the dump, so that the dump may be inconsistent.
  var isInterrupted: Bool { flags & UInt16(NLM_F_DUMP_INTR) != 0 }

  /// Parses the attributes after the fixed part of the payload.
  func attributes(after fixedLength: Int) -> NetlinkAttributes {
    NetlinkAttributes(payload.dropping(netlinkAligned(fixedLength)))
  }
}
