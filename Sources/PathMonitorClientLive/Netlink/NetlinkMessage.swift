// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// One message of a netlink datagram.
///
/// The header, in the host's byte order: length with header (4), type (2), flags (2), sequence
/// number (4), port (4).
struct NetlinkMessage: Equatable, Sendable {
  static let headerLength = 16

  var type: UInt16
  var flags: UInt16
  var sequence: UInt32
  var payload: ArraySlice<UInt8>

  /// The messages of a datagram, up to the first that does not fit into what is left of it.
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

  /// Whether it ends a dump.
  var endsDump: Bool { type == UInt16(NLMSG_DONE) }

  /// The error it reports, as a positive errno.
  ///
  /// 0 acknowledges; `nil` where it reports none.
  var errorNumber: Int32? {
    guard type == UInt16(NLMSG_ERROR) else { return nil }
    guard let code = payload.number(at: 0, as: Int32.self) else { return Int32.max }
    return code == .min ? .max : abs(code)
  }

  /// Why a dump ended before its time, as a positive errno; `nil` where it did not.
  var endOfDumpErrorNumber: Int32? {
    guard endsDump, let code = payload.number(at: 0, as: Int32.self), code < 0 else { return nil }
    return code == .min ? .max : -code
  }

  /// Whether the tables changed while they were dumped, so that the dump may be torn.
  var isInterrupted: Bool { flags & UInt16(NLM_F_DUMP_INTR) != 0 }

  /// The attributes that follow the fixed part of the payload.
  func attributes(after fixedLength: Int) -> NetlinkAttributes {
    NetlinkAttributes(payload.dropping(netlinkAligned(fixedLength)))
  }
}
