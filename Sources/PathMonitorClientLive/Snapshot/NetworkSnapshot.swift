// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import PathMonitorClient

/// The kernel's links, addresses and routes at one point in time.
struct NetworkSnapshot: Equatable, Sendable {
  enum Family: UInt8, Sendable {
    case ipv4 = 2
    case ipv6 = 10
  }

  struct Link: Equatable, Sendable {
    /// The kernel's number of the interface, which addresses and routes refer to.
    var index: Int32
    var name: String
    /// `ifi_type`: 1 Ethernet, 512 PPP, 772 loopback.
    var hardware: UInt16
    /// `IFLA_INFO_KIND`, such as `veth` or `bridge`; `nil` for hardware.
    var kind: String?
    /// The device type, such as `wlan` or `wwan`; `nil` if the driver sets no device type.
    var deviceType: String?
    var isUp: Bool
    /// Whether the link is up and has a carrier.
    var isRunning: Bool
    var isLoopback: Bool
  }

  struct Address: Equatable, Sendable {
    var index: Int32
    var family: Family
    /// Whether the address is valid beyond the link.
    var isGlobal: Bool
    /// Whether the address may be used: it is neither tentative nor a duplicate.
    var isUsable: Bool
  }

  struct Route: Equatable, Sendable {
    enum Kind: Sendable {
      /// Unicast or local.
      case forwards
      /// Unreachable, blackhole or prohibit: the kernel rejects packets and ends the lookup.
      case rejects
      /// Other types such as multicast and throw, which neither forward nor reject.
      case other
    }

    var family: Family
    var index: Int32
    var destinationLength: UInt8
    var metric: UInt32
    var kind: Kind
    /// Whether the route is in the main table.
    var isInMainTable: Bool
    /// Whether the kernel knows that the next hop is unreachable.
    var isLinkDown: Bool
    var isDefault: Bool { destinationLength == 0 }
  }

  var links: [Link] = []
  var addresses: [Address] = []
  var routes: [Route] = []
  var hasNameserver = false
  /// Whether the default route is metered, according to NetworkManager.
  var metered = Metered.unknown
  /// The results of the kernel's lookup of routes to the internet; empty if there are none.
  var routesToInternet: [Route] = []
  /// The result of the kernel's lookup for a destination address; `nil` if there is no route.
  var routeToDestination: Route?
}

extension NetworkSnapshot {
  /// Returns the snapshot without the interfaces that match a pattern.
  func without(_ patterns: [String]) -> NetworkSnapshot {
    without { PathRules.matches($0.name, patterns) }
  }

  /// Returns the snapshot with the loopback interface and the interfaces of the given types only.
  ///
  /// The loopback interface remains, because the kernel's rejecting routes refer to it.
  func limited(to types: Set<NetworkPath.Interface.Kind>?) -> NetworkSnapshot {
    guard let types else { return self }
    return without { !$0.isLoopback && !types.contains(NetworkPath.Interface.Kind($0)) }
  }

  private func without(_ isIgnored: (Link) -> Bool) -> NetworkSnapshot {
    let ignored = links.filter(isIgnored).map(\.index)
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

  /// The families in the order of preference: connections to a name try IPv6 first.
  private static let families = [Family.ipv6, .ipv4]

  /// The candidate routes to the internet: the kernel's lookup results, then other default routes.
  ///
  /// The lookup considers policy rules, other tables and prefixes that together are equivalent to a
  /// default route. The other default routes are used if the routes of the lookup are unusable.
  var candidateRoutes: [Route] {
    Self.families.flatMap { family in
      (routesToInternet + defaultRoutes).filter { $0.family == family }
    }
  }

  /// The default routes that the kernel may use, the preferred route of each family first.
  ///
  /// Metrics are comparable only within one family. A rejecting route (`unreachable`, `blackhole`,
  /// `prohibit`) hides the routes of its family with a higher metric.
  var defaultRoutes: [Route] {
    let ordered = routes.filter { $0.isDefault && $0.isInMainTable }
      .sorted { $0.metric < $1.metric }
    return ordered.filter { route in
      route.kind == .forwards
        && !ordered.contains {
          $0.kind == .rejects && $0.family == route.family && $0.metric < route.metric
        }
    }
  }

  /// Returns whether a route's next hop may be reachable and its interface has a global address.
  func isUsable(_ route: Route) -> Bool {
    guard !route.isLinkDown,
      let link = links.first(where: { $0.index == route.index }), link.isRunning
    else { return false }
    return addresses.contains {
      $0.index == route.index && $0.family == route.family && $0.isGlobal && $0.isUsable
    }
  }

  /// The first usable route of each family.
  var preferredRoutes: [Route] {
    let usable = candidateRoutes.filter(isUsable)
    return Self.families.compactMap { family in usable.first { $0.family == family } }
  }

  /// Returns whether a path uses the interface of a default route, so that ``metered`` applies to
  /// it.
  func isDefault(_ path: NetworkPath) -> Bool {
    guard path.isSatisfied, let first = path.interfaces.first else { return false }
    return preferredRoutes.contains { route in
      links.contains { $0.index == route.index && $0.name == first.name }
    }
  }

  /// Whether an interface except loopback is up.
  var hasInterface: Bool { links.contains { $0.isUp && !$0.isLoopback } }

  /// Returns the reason for an unsatisfied path with unusable routes: the lowest layer that fails.
  func reason(routes defaults: [Route]) -> NetworkPath.Reason {
    guard hasInterface else { return .noInterface }
    let up = links.filter { $0.isUp && !$0.isLoopback }
    let running = up.filter(\.isRunning)
    let hasCarrier = { (route: Route) in
      !route.isLinkDown && running.contains { $0.index == route.index }
    }
    if running.isEmpty || (!defaults.isEmpty && !defaults.contains(where: hasCarrier)) {
      return .noCarrier
    }
    // Bridges and virtual pairs run without a cable, so only hardware interfaces are considered.
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
  /// Parses `struct ifinfomsg`: family (1 byte), padding (1), type (2), index (4), flags (4),
  /// change (4).
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
  /// Parses `struct ifaddrmsg`: family (1 byte), prefix length (1), flags (1), scope (1),
  /// index (4).
  init?(_ message: NetlinkMessage) {
    guard message.type == UInt16(RTM_NEWADDR),
      let family = message.payload.first.flatMap(NetworkSnapshot.Family.init),
      let flags = message.payload.number(at: 2, as: UInt8.self),
      let scope = message.payload.number(at: 3, as: UInt8.self),
      let index = message.payload.number(at: 4, as: Int32.self)
    else { return nil }
    let attributes = message.attributes(after: 8)
    let bytes = attributes.bytes(Int(IFA_LOCAL)) ?? attributes.bytes(Int(IFA_ADDRESS)) ?? []
    // Some DHCP clients assign 169.254/16 addresses with global scope.
    let isZeroconf = family == .ipv4 && bytes.starts(with: [169, 254])
    let allFlags = attributes.number(Int(IFA_FLAGS)) ?? UInt32(flags)
    let unusableFlags = UInt32(IFA_F_TENTATIVE) | UInt32(IFA_F_DADFAILED)
    let optimistic = allFlags & UInt32(IFA_F_OPTIMISTIC) != 0
    self.init(
      index: index, family: family,
      isGlobal: scope < UInt8(truncatingIfNeeded: Int(RT_SCOPE_LINK.rawValue)) && !isZeroconf,
      isUsable: allFlags & unusableFlags == 0 || optimistic)
  }
}

extension NetworkSnapshot.Route {
  /// Parses the routes of a message; a multipath route yields one route for each next hop.
  ///
  /// `struct rtmsg`: family, destination length, source length, TOS, table, protocol, scope and
  /// type (1 byte each), flags (4).
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

  /// Parses a sequence of `struct rtnexthop`: length (2 bytes), flags (1), weight (1), index (4).
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
      case Int(RTN_UNICAST), Int(RTN_LOCAL): .forwards
      case Int(RTN_UNREACHABLE), Int(RTN_BLACKHOLE), Int(RTN_PROHIBIT): .rejects
      default: .other
      }
  }
}
