// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

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
