// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc

extension NetworkSnapshot.Link {
  /// `struct ifinfomsg`: family (1), padding (1), type (2), index (4), flags (4), change (4).
  init?(_ message: NetlinkMessage) {
    guard message.type == UInt16(RTM_NEWLINK),
      let hardware = message.payload.number(at: 2, as: UInt16.self),
      let index = message.payload.number(at: 4, as: Int32.self),
      let flags = message.payload.number(at: 8, as: UInt32.self)
    else { return nil }
    let attributes = message.attributes(after: 16)
    guard let name = attributes.text(Int(IFLA_IFNAME)) else { return nil }
    self.init(
      index: index, name: name, hardware: hardware,
      kind: attributes.nested(Int(IFLA_LINKINFO))?.text(Int(IFLA_INFO_KIND)),
      isUp: flags & UInt32(IFF_UP) != 0,
      isRunning: flags & UInt32(IFF_RUNNING) != 0,
      isLoopback: flags & UInt32(IFF_LOOPBACK) != 0)
  }
}

extension NetworkSnapshot.Address {
  /// `struct ifaddrmsg`: family (1), prefix length (1), flags (1), scope (1), index (4).
  init?(_ message: NetlinkMessage) {
    guard message.type == UInt16(RTM_NEWADDR),
      let family = message.payload.first.flatMap(NetworkSnapshot.Family.init),
      let flags = message.payload.number(at: 2, as: UInt8.self),
      let scope = message.payload.number(at: 3, as: UInt8.self),
      let index = message.payload.number(at: 4, as: Int32.self)
    else { return nil }
    let attributes = message.attributes(after: 8)
    let bytes = attributes.bytes(Int(IFA_LOCAL)) ?? attributes.bytes(Int(IFA_ADDRESS)) ?? []
    // 169.254/16 is handed out with global scope by some DHCP clients.
    let isZeroconf = family == .ipv4 && bytes.starts(with: [169, 254])
    let allFlags = attributes.number(Int(IFA_FLAGS)) ?? UInt32(flags)
    let bad = UInt32(IFA_F_TENTATIVE) | UInt32(IFA_F_DADFAILED)
    let optimistic = allFlags & UInt32(IFA_F_OPTIMISTIC) != 0
    self.init(
      index: index, family: family,
      isGlobal: scope < UInt8(truncatingIfNeeded: Int(RT_SCOPE_LINK.rawValue)) && !isZeroconf,
      isUsable: allFlags & bad == 0 || optimistic)
  }
}

extension NetworkSnapshot.Route {
  /// The routes of a message: one over several next hops counts as several.
  ///
  /// `struct rtmsg`: family, destination length, source length, TOS, table, protocol, scope and
  /// type (1 each), flags (4).
  static func routes(_ message: NetlinkMessage) -> [NetworkSnapshot.Route] {
    guard message.type == UInt16(RTM_NEWROUTE),
      let family = message.payload.first.flatMap(NetworkSnapshot.Family.init),
      let length = message.payload.number(at: 1, as: UInt8.self),
      let shortTable = message.payload.number(at: 4, as: UInt8.self),
      let type = message.payload.number(at: 7, as: UInt8.self),
      let flags = message.payload.number(at: 8, as: UInt32.self)
    else { return [] }
    let attributes = message.attributes(after: 12)
    let table = attributes.number(Int(RTA_TABLE.rawValue)) ?? UInt32(shortTable)
    func route(index: Int32, flags: UInt32) -> NetworkSnapshot.Route {
      NetworkSnapshot.Route(
        family: family, index: index, destinationLength: length,
        metric: attributes.number(Int(RTA_PRIORITY.rawValue)) ?? 0,
        kind: Kind(type),
        isInMainTable: table == UInt32(truncatingIfNeeded: Int(RT_TABLE_MAIN.rawValue)),
        isLinkDown: flags & (UInt32(RTNH_F_LINKDOWN) | UInt32(RTNH_F_DEAD)) != 0)
    }
    if let hops = attributes.bytes(Int(RTA_MULTIPATH.rawValue)) {
      return nextHops(hops).map { route(index: $0.index, flags: $0.flags) }
    }
    let index = attributes.number(Int(RTA_OIF.rawValue)).map(Int32.init(truncatingIfNeeded:))
    return [route(index: index ?? 0, flags: flags)]
  }

  /// `struct rtnexthop`, one after the other: length (2), flags (1), weight (1), index (4).
  private static func nextHops(_ bytes: ArraySlice<UInt8>) -> [(index: Int32, flags: UInt32)] {
    var hops: [(index: Int32, flags: UInt32)] = []
    var rest = bytes
    while let length = rest.number(at: 0, as: UInt16.self).map(Int.init),
      let flags = rest.number(at: 2, as: UInt8.self),
      let index = rest.number(at: 4, as: Int32.self), length >= 8, length <= rest.count
    {
      hops.append((index, UInt32(flags)))
      rest = rest.dropping(netlinkAligned(length))
    }
    return hops
  }
}

extension NetworkSnapshot.Route.Kind {
  init(_ type: UInt8) {
    self =
      switch Int(type) {
      case Int(RTN_UNICAST), Int(RTN_LOCAL): .leads
      case Int(RTN_UNREACHABLE), Int(RTN_BLACKHOLE), Int(RTN_PROHIBIT): .refuses
      default: .other
      }
  }
}
