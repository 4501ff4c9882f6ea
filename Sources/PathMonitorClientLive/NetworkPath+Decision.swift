// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

extension NetworkPath {
  /// Decides what a snapshot means for whoever wants to get somewhere.
  init(_ snapshot: NetworkSnapshot, to destination: PathDestination) {
    switch destination {
    case .internet: self.init(internet: snapshot)
    case .loopback: self.init(loopback: snapshot)
    case .address: self.init(address: snapshot)
    }
  }

  /// What is said where the kernel cannot be asked: rather a lookup in vain than none at all.
  static var unknown: NetworkPath { NetworkPath(status: .satisfied, reason: .unknown) }

  /// Satisfied means a default route of either family whose next hop is not known to be out of
  /// reach, over an interface that runs and has an address of that family to be reached at.
  private init(internet snapshot: NetworkSnapshot) {
    let defaults = snapshot.routes
      .filter { $0.isDefault && $0.leadsSomewhere && $0.isInMainTable }
      .sorted { $0.metric < $1.metric }
    let good = defaults.filter { snapshot.carries($0) }
    guard !good.isEmpty else {
      self.init(status: .unsatisfied, reason: snapshot.reasonForNone(of: defaults))
      interfaces = snapshot.links.filter { $0.isUp && !$0.isLoopback }.map(Interface.init)
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
      let families = snapshot.addresses.filter { address in
        links.contains { $0.index == address.index }
      }
      supportsIPv4 = families.contains { $0.family == .ipv4 }
      supportsIPv6 = families.contains { $0.family == .ipv6 }
    }
    interfaces = links.map(Interface.init)
  }

  private init(address snapshot: NetworkSnapshot) {
    guard let route = snapshot.routeToDestination, route.leadsSomewhere,
      let link = snapshot.links.first(where: { $0.index == route.index })
    else {
      self.init(status: .unsatisfied, reason: snapshot.reasonForNone(of: []))
      interfaces = snapshot.links.filter { $0.isUp && !$0.isLoopback }.map(Interface.init)
      return
    }
    guard link.isRunning, !route.isLinkDown else {
      self.init(status: .unsatisfied, reason: link.isUp ? .noCarrier : .noInterface)
      interfaces = [Interface(link)]
      return
    }
    self.init(status: .satisfied)
    supportsDNS = snapshot.hasNameserver
    describe([route], in: snapshot)
  }

  private mutating func describe(_ routes: [NetworkSnapshot.Route], in snapshot: NetworkSnapshot) {
    for route in routes {
      guard let link = snapshot.links.first(where: { $0.index == route.index }) else { continue }
      let interface = Interface(link)
      if !interfaces.contains(interface) { interfaces.append(interface) }
    }
    supportsIPv4 = routes.contains { $0.family == .ipv4 }
    supportsIPv6 = routes.contains { $0.family == .ipv6 }
    isExpensive = interfaces.first?.kind == .cellular
  }
}

extension NetworkPath.Interface {
  /// Judged by what the kernel says it is; by its name only where that leaves wired and wireless
  /// apart (systemd's names: `wl`, `ww`).
  init(_ link: NetworkSnapshot.Link) {
    let kind: Kind =
      if link.isLoopback { .loopback } else if link.hardware == 512 {
        .cellular
      } else if link.kind
        != nil
      { .virtual } else if link.name.hasPrefix("wl") { .wifi } else if link.name.hasPrefix("ww") {
        .cellular
      } else if link.hardware == 1 { .wired } else { .other }
    self.init(name: link.name, kind: kind)
  }
}

extension NetworkSnapshot {
  fileprivate func carries(_ route: Route) -> Bool {
    guard !route.isLinkDown,
      let link = links.first(where: { $0.index == route.index }), link.isRunning
    else { return false }
    return addresses.contains {
      $0.index == route.index && $0.family == route.family && $0.isGlobal && $0.isUsable
    }
  }

  /// The first thing that is missing, from the cable upwards.
  fileprivate func reasonForNone(of defaults: [Route]) -> NetworkPath.Reason {
    let up = links.filter { $0.isUp && !$0.isLoopback }
    if up.isEmpty { return .noInterface }
    let running = up.filter(\.isRunning)
    let hasCarrier = { (route: Route) in running.contains { $0.index == route.index } }
    if running.isEmpty || (!defaults.isEmpty && !defaults.contains(where: hasCarrier)) {
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
