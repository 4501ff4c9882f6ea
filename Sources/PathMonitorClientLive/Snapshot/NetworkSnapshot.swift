// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import PathMonitorClient

/// The kernel's links, addresses and routes at one moment.
struct NetworkSnapshot: Equatable, Sendable {
  enum Family: UInt8, Sendable {
    case ipv4 = 2
    case ipv6 = 10
  }

  struct Link: Equatable, Sendable {
    var index: Int32
    var name: String
    /// `ifi_type`: 1 Ethernet, 512 PPP, 772 loopback.
    var hardware: UInt16
    /// `IFLA_INFO_KIND`, such as `veth` or `bridge`; `nil` for hardware.
    var kind: String?
    /// What the driver calls it, such as `wlan` or `wwan`; `nil` where it says nothing.
    var deviceType: String?
    var isUp: Bool
    /// Up and with a carrier.
    var isRunning: Bool
    var isLoopback: Bool
  }

  struct Address: Equatable, Sendable {
    var index: Int32
    var family: Family
    /// Whether it reaches beyond the link.
    var isGlobal: Bool
    /// Whether it may be used: not tentative, not a duplicate.
    var isUsable: Bool
  }

  struct Route: Equatable, Sendable {
    enum Kind: Sendable {
      /// Unicast or local.
      case leads
      /// Unreachable, blackhole or prohibit: an answer, and the end of the search.
      case refuses
      /// Multicast, throw and the like: no way to anywhere, and nobody is stopped.
      case other
    }

    var family: Family
    var index: Int32
    var destinationLength: UInt8
    var metric: UInt32
    var kind: Kind
    /// Whether it stands in the main table.
    var isInMainTable: Bool
    /// Whether the kernel knows its next hop to be out of reach.
    var isLinkDown: Bool
    var isDefault: Bool { destinationLength == 0 }
  }

  var links: [Link] = []
  var addresses: [Address] = []
  var routes: [Route] = []
  var hasNameserver = false
  /// What bytes cost over the default route, by whoever manages the network.
  var metered = Metered.unknown
  /// The routes that the kernel takes to anywhere, of each family that it has them for.
  var routesToInternet: [Route] = []
  /// The route to the one address asked for; `nil` where there is none.
  var routeToDestination: Route?
}

extension NetworkSnapshot {
  /// The snapshot as if some interfaces were not there.
  func without(_ patterns: [String]) -> NetworkSnapshot {
    let ignored = links.filter { PathRules.matches($0.name, patterns) }.map(\.index)
    if ignored.isEmpty { return self }
    var rest = self
    rest.links.removeAll { ignored.contains($0.index) }
    rest.addresses.removeAll { ignored.contains($0.index) }
    rest.routes.removeAll { ignored.contains($0.index) }
    rest.routesToInternet.removeAll { ignored.contains($0.index) }
    if let route = routeToDestination, ignored.contains(route.index) {
      rest.routeToDestination = nil
    }
    return rest
  }

  /// A name with addresses of both families is tried by IPv6 first.
  private static let families = [Family.ipv6, .ipv4]

  /// The routes to anywhere that may be taken: those that the kernel takes, then those that it has.
  ///
  /// The former know rules, tables of their own and halves of the internet; the latter what there
  /// is besides, for when the first is lost.
  var waysOut: [Route] {
    Self.families.flatMap { family in
      (routesToInternet + defaultRoutes).filter { $0.family == family }
    }
  }

  /// The default routes that the kernel may take, the preferred of each family first.
  ///
  /// Metrics are told of one family only. One that refuses (`unreachable`, `blackhole`, `prohibit`) hides those of its family behind it.
  var defaultRoutes: [Route] {
    let ordered = routes.filter { $0.isDefault && $0.isInMainTable }
      .sorted { $0.metric < $1.metric }
    return ordered.filter { route in
      route.kind == .leads
        && !ordered.contains {
          $0.kind == .refuses && $0.family == route.family && $0.metric < route.metric
        }
    }
  }

  /// Whether a route's next hop may be reached, from an address that may be answered at.
  func carries(_ route: Route) -> Bool {
    guard !route.isLinkDown,
      let link = links.first(where: { $0.index == route.index }), link.isRunning
    else { return false }
    return addresses.contains {
      $0.index == route.index && $0.family == route.family && $0.isGlobal && $0.isUsable
    }
  }

  /// The ways out that carry the bytes of either family.
  var preferredWaysOut: [Route] {
    let good = waysOut.filter(carries)
    return Self.families.compactMap { family in good.first { $0.family == family } }
  }

  /// Whether a path goes where a default route goes, so that what is known of that one holds.
  func isDefault(_ path: NetworkPath) -> Bool {
    guard path.isSatisfied, let first = path.interfaces.first else { return false }
    return preferredWaysOut.contains { route in
      links.contains { $0.index == route.index && $0.name == first.name }
    }
  }

  /// The first thing that is missing, from the cable upwards.
  func reasonForNone(of defaults: [Route]) -> NetworkPath.Reason {
    let up = links.filter { $0.isUp && !$0.isLoopback }
    if up.isEmpty { return .noInterface }
    let running = up.filter(\.isRunning)
    let hasCarrier = { (route: Route) in
      !route.isLinkDown && running.contains { $0.index == route.index }
    }
    if running.isEmpty || (!defaults.isEmpty && !defaults.contains(where: hasCarrier)) {
      return .noCarrier
    }
    // Bridges and pairs run whatever becomes of the cable; a board that has one wants that.
    let hardware = up.filter(\.isHardware)
    if defaults.isEmpty, !hardware.isEmpty, !hardware.contains(where: \.isRunning) {
      return .noCarrier
    }
    let usable = addresses.filter { address in
      address.isUsable && running.contains { $0.index == address.index }
    }
    if usable.isEmpty { return .noAddress }
    if !usable.contains(where: \.isGlobal) { return .linkLocalOnly }
    return defaults.isEmpty ? .noDefaultRoute : .noAddress
  }
}

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
