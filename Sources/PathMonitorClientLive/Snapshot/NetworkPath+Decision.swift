// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient

extension NetworkPath {
  /// Derives the path to a destination from a snapshot.
  init(
    _ snapshot: NetworkSnapshot, to destination: PathDestination, rules: PathRules = PathRules()
  ) {
    let board = snapshot.without(rules.ignored)
    let snapshot = board.limited(to: rules.permittedTypes)
    switch destination {
    case .internet: self.init(internet: snapshot)
    case .loopback: self.init(loopback: snapshot)
    case .localNetwork: self.init(localNetwork: snapshot)
    case .address: self.init(address: snapshot, isLinkLocal: destination.isLinkLocal)
    }
    // Of the whole board: NetworkManager's answer is about the default route of any type.
    let metered = board.isDefault(self) ? board.metered : .unknown
    setCost(rules: rules, metered, in: snapshot, to: destination)
    if reason == .noInterface, rules.permittedTypes != nil, board.hasInterface {
      reason = .noPermittedInterface
    }
  }

  /// Returns the path to use if the kernel cannot be queried.
  ///
  /// The path is satisfied, so that the program makes a request, even if the request may fail.
  static func unknown(_ error: NetlinkError) -> NetworkPath {
    var path = NetworkPath(status: .satisfied, reason: .unknown)
    path.cause = error.description
    return path
  }

  /// Makes the path to the internet.
  ///
  /// The path is satisfied by a default route of either family, or by several routes that together
  /// are equivalent to a default route. The next hop must not be known to be unreachable, and the
  /// interface must be running and have a global address of the route's family.
  private init(internet snapshot: NetworkSnapshot) {
    let usable = snapshot.candidateRoutes.filter(snapshot.isUsable)
    guard !usable.isEmpty else {
      self.init(unsatisfied: snapshot.reason(routes: snapshot.candidateRoutes), snapshot)
      return
    }
    self.init(status: .satisfied, reason: snapshot.hasNameserver ? nil : .dnsMissing)
    supportsDNS = snapshot.hasNameserver
    describe(usable, in: snapshot)
  }

  private init(loopback snapshot: NetworkSnapshot) {
    let links = snapshot.links.filter(\.isLoopback)
    self.init(status: .unsatisfied, reason: .noInterface)
    if links.contains(where: \.isUp) {
      self.init(status: .satisfied)
      describe(links, in: snapshot)
    }
    interfaces = links.map(Interface.init)
  }

  /// Makes the path to the local network.
  ///
  /// Any usable address satisfies the path: a neighbour needs no route, and names announced by
  /// multicast DNS may resolve to link-local addresses.
  private init(localNetwork snapshot: NetworkSnapshot) {
    let links = snapshot.links.filter { link in
      link.isRunning && !link.isLoopback
        && snapshot.addresses.contains { $0.index == link.index && $0.isUsable }
    }
    guard !links.isEmpty else {
      self.init(unsatisfied: snapshot.reason(routes: []), snapshot)
      return
    }
    self.init(status: .satisfied)
    supportsDNS = snapshot.hasNameserver
    interfaces = links.map(Interface.init)
    describe(links, in: snapshot)
  }

  private init(address snapshot: NetworkSnapshot, isLinkLocal: Bool) {
    guard let route = snapshot.routeToDestination, route.kind == .forwards,
      let link = snapshot.links.first(where: { $0.index == route.index })
    else {
      self.init(unsatisfied: snapshot.reason(routes: []), snapshot)
      return
    }
    guard link.isRunning, !route.isLinkDown else {
      self.init(status: .unsatisfied, reason: link.isUp ? .noCarrier : .noInterface)
      interfaces = [Interface(link)]
      return
    }
    let ownAddresses = snapshot.addresses.filter {
      $0.index == route.index && $0.family == route.family && $0.isUsable
    }
    // Without a suitable source address, no reply can arrive.
    guard link.isLoopback || ownAddresses.contains(where: { $0.isGlobal || isLinkLocal }) else {
      self.init(status: .unsatisfied, reason: ownAddresses.isEmpty ? .noAddress : .linkLocalOnly)
      interfaces = [Interface(link)]
      return
    }
    self.init(status: .satisfied)
    supportsDNS = snapshot.hasNameserver
    describe([route], in: snapshot)
  }

  private init(unsatisfied reason: Reason, _ snapshot: NetworkSnapshot) {
    self.init(status: .unsatisfied, reason: reason)
    interfaces = snapshot.links.filter { $0.isUp && !$0.isLoopback }.map(Interface.init)
  }

  private mutating func describe(_ routes: [NetworkSnapshot.Route], in snapshot: NetworkSnapshot) {
    for route in routes {
      guard let link = snapshot.links.first(where: { $0.index == route.index }) else { continue }
      let interface = Interface(link)
      if !interfaces.contains(interface) { interfaces.append(interface) }
    }
    supportsIPv4 = routes.contains { $0.family == .ipv4 }
    supportsIPv6 = routes.contains { $0.family == .ipv6 }
  }

  private mutating func describe(_ links: [NetworkSnapshot.Link], in snapshot: NetworkSnapshot) {
    let addresses = snapshot.addresses.filter { address in
      address.isUsable && links.contains { $0.index == address.index }
    }
    supportsIPv4 = addresses.contains { $0.family == .ipv4 }
    supportsIPv6 = addresses.contains { $0.family == .ipv6 }
  }

  /// Sets the cost properties from the preferred interface of each family, which carries the data.
  private mutating func setCost(
    rules: PathRules, _ metered: Metered, in snapshot: NetworkSnapshot,
    to destination: PathDestination
  ) {
    guard isSatisfied, let first = interfaces.first else { return }
    let preferred = destination == .internet ? snapshot.preferredRoutes.map(\.index) : []
    var dataInterfaces = snapshot.links.filter { preferred.contains($0.index) }.map(Interface.init)
    if dataInterfaces.isEmpty { dataInterfaces = [first] }
    isExpensive = dataInterfaces.contains { interface in
      (metered.isExpensive(interface.kind) || PathRules.matches(interface.name, rules.expensive))
        && !PathRules.matches(interface.name, rules.inexpensive)
    }
    isCostKnown =
      isExpensive || metered != .unknown || destination == .loopback
      || dataInterfaces.allSatisfy { PathRules.matches($0.name, rules.inexpensive) }
    isConstrained = dataInterfaces.contains { PathRules.matches($0.name, rules.constrained) }
  }
}

extension NetworkPath {
  /// Reads the current path once.
  ///
  /// Blocks for about a millisecond, or for a few seconds at most if the kernel does not respond.
  ///
  /// - Parameters:
  ///   - destination: The destination of the path.
  ///   - rules: Rules for interfaces, from the configuration.
  /// - Returns: The path; satisfied with the reason `unknown` if the kernel cannot be queried.
  public static func present(
    to destination: PathDestination = .internet, rules: PathRules = PathRules()
  ) -> NetworkPath {
    do throws(NetlinkError) {
      var reader = NetlinkReader(socket: try KernelNetlinkSocket(isListening: false))
      return try PathQuery(destination: destination, rules: rules).path(&reader)
    } catch {
      return .unknown(error)
    }
  }
}
