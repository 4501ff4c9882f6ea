// SPDX-License-Identifier: Apache-2.0

public import PathMonitorClient

extension NetworkPath {
  /// Decides what a snapshot means for whoever wants to get somewhere.
  init(
    _ snapshot: NetworkSnapshot, to destination: PathDestination, rules: PathRules = PathRules()
  ) {
    let snapshot = snapshot.without(rules.ignored)
    switch destination {
    case .internet: self.init(internet: snapshot)
    case .loopback: self.init(loopback: snapshot)
    case .localNetwork: self.init(localNetwork: snapshot)
    case .address: self.init(address: snapshot, isLinkLocal: destination.isLinkLocal)
    }
    judgeCost(by: rules, in: snapshot, to: destination)
  }

  /// What is said where the kernel cannot be asked: rather a lookup in vain than none at all.
  static func unknown(_ error: NetlinkError) -> NetworkPath {
    var path = NetworkPath(status: .satisfied, reason: .unknown)
    path.cause = error.description
    return path
  }

  /// Satisfied means a default route of either family, or routes that together are as good as one,
  /// whose next hop is not known to be out of reach, over an interface that runs and has an address of that family to be reached at.
  private init(internet snapshot: NetworkSnapshot) {
    let good = snapshot.waysOut.filter(snapshot.carries)
    guard !good.isEmpty else {
      self.init(unsatisfied: snapshot.reasonForNone(of: snapshot.waysOut), snapshot)
      return
    }
    self.init(status: .satisfied, reason: snapshot.hasNameserver ? nil : .dnsMissing)
    supportsDNS = snapshot.hasNameserver
    describe(good, in: snapshot)
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

  /// Satisfied by any address at all: a neighbour needs no more, and an announced name resolves to
  /// link-local addresses too.
  private init(localNetwork snapshot: NetworkSnapshot) {
    let links = snapshot.links.filter { link in
      link.isRunning && !link.isLoopback
        && snapshot.addresses.contains { $0.index == link.index && $0.isUsable }
    }
    guard !links.isEmpty else {
      self.init(unsatisfied: snapshot.reasonForNone(of: []), snapshot)
      return
    }
    self.init(status: .satisfied)
    supportsDNS = snapshot.hasNameserver
    interfaces = links.map(Interface.init)
    describe(links, in: snapshot)
  }

  private init(address snapshot: NetworkSnapshot, isLinkLocal: Bool) {
    guard let route = snapshot.routeToDestination, route.kind == .leads,
      let link = snapshot.links.first(where: { $0.index == route.index })
    else {
      self.init(unsatisfied: snapshot.reasonForNone(of: []), snapshot)
      return
    }
    guard link.isRunning, !route.isLinkDown else {
      self.init(status: .unsatisfied, reason: link.isUp ? .noCarrier : .noInterface)
      interfaces = [Interface(link)]
      return
    }
    let own = snapshot.addresses.filter {
      $0.index == route.index && $0.family == route.family && $0.isUsable
    }
    // From where nobody could answer to, nothing need be sent.
    guard link.isLoopback || own.contains(where: { $0.isGlobal || isLinkLocal }) else {
      self.init(status: .unsatisfied, reason: own.isEmpty ? .noAddress : .linkLocalOnly)
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

  /// The preferred interface carries the bytes, so that it alone says what they cost; where each
  /// family prefers another, either may carry them.
  private mutating func judgeCost(
    by rules: PathRules, in snapshot: NetworkSnapshot, to destination: PathDestination
  ) {
    guard isSatisfied, let first = interfaces.first else { return }
    let metered = snapshot.isDefault(self) ? snapshot.metered : .unknown
    let ways = destination == .internet ? snapshot.preferredWaysOut.map(\.index) : []
    var carriers = snapshot.links.filter { ways.contains($0.index) }.map(Interface.init)
    if carriers.isEmpty { carriers = [first] }
    isExpensive = carriers.contains { carrier in
      (metered.isExpensive(carrier.kind) || PathRules.matches(carrier.name, rules.expensive))
        && !PathRules.matches(carrier.name, rules.inexpensive)
    }
    isCostKnown =
      isExpensive || metered != .unknown || destination == .loopback
      || carriers.allSatisfy { PathRules.matches($0.name, rules.inexpensive) }
    isConstrained = carriers.contains { PathRules.matches($0.name, rules.constrained) }
  }
}

extension NetworkPath {
  /// Reads the path as it is now, once.
  ///
  /// Blocks for a millisecond or so, a few seconds at most where the kernel does not answer.
  ///
  /// - Parameters:
  ///   - destination: Where it should lead.
  ///   - rules: What the configuration says about interfaces.
  /// - Returns: The path; satisfied with the reason `unknown` where the kernel cannot be asked.
  public static func present(
    to destination: PathDestination = .internet, rules: PathRules = PathRules()
  ) -> NetworkPath {
    do throws(NetlinkError) {
      var reader = NetlinkReader(socket: try KernelNetlinkSocket(isListening: false))
      return try PathInquiry(destination: destination, rules: rules).path(&reader)
    } catch {
      return .unknown(error)
    }
  }
}
