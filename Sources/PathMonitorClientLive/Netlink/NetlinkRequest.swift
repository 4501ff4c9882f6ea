// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc

/// A netlink request.
struct NetlinkRequest: Equatable, Sendable {
  var type: UInt16
  var flags: UInt16
  var payload: [UInt8]

  /// Dumps all links.
  static var links: NetlinkRequest { dump(Int(RTM_GETLINK), fixedLength: 16) }
  /// Dumps all addresses of both families.
  static var addresses: NetlinkRequest { dump(Int(RTM_GETADDR), fixedLength: 8) }
  /// Dumps all routes of both families.
  static var routes: NetlinkRequest { dump(Int(RTM_GETROUTE), fixedLength: 12) }

  /// Makes a dump request; a fixed part of zeros selects everything.
  private static func dump(_ type: Int, fixedLength: Int) -> NetlinkRequest {
    NetlinkRequest(
      type: UInt16(truncatingIfNeeded: type),
      flags: UInt16(NLM_F_REQUEST) | UInt16(fixcast_nlm_f_dump),
      payload: [UInt8](repeating: 0, count: fixedLength))
  }

  /// Looks up the route that the kernel would use to an address of 4 or 16 bytes.
  static func route(to address: [UInt8]) -> NetlinkRequest {
    var payload = [UInt8](repeating: 0, count: 12)
    payload[0] = UInt8(address.count == 4 ? AF_INET : AF_INET6)
    payload[1] = UInt8(truncatingIfNeeded: address.count * 8)
    payload.append(number: UInt16(truncatingIfNeeded: 4 + address.count))
    payload.append(number: UInt16(truncatingIfNeeded: Int(RTA_DST.rawValue)))
    payload += address
    return NetlinkRequest(
      type: UInt16(truncatingIfNeeded: Int(RTM_GETROUTE)), flags: UInt16(NLM_F_REQUEST),
      payload: payload)
  }

  func bytes(sequence: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: UInt32(truncatingIfNeeded: NetlinkMessage.headerLength + payload.count))
    bytes.append(number: type)
    bytes.append(number: flags)
    bytes.append(number: sequence)
    bytes.append(number: 0 as UInt32)
    return bytes + payload
  }
}
