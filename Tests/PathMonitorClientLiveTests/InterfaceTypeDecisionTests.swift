// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Testing

@testable import PathMonitorClientLive

@Suite("Path over required and prohibited types of interface")
struct InterfaceTypeDecisionTests {
  private typealias Decision = NetworkPathDecisionTests
  typealias Snapshot = NetworkSnapshot

  /// A board whose default route uses its modem, and that also has Wi-Fi with a route.
  private static let modemAndWifi = Decision.snapshot(
    [Decision.link(2, "wwan0"), Decision.link(3, "wlan0"), Decision.link(4, "wlan1", up: false)],
    [Decision.address(2), Decision.address(3)],
    [Decision.route(2, metric: 10), Decision.route(3, metric: 600)])

  @Test func `a path that requires a type of interface uses only interfaces of that type`() {
    let path = { (type: NetworkPath.Interface.Kind) in
      NetworkPath(Self.modemAndWifi, to: .internet, rules: PathRules().requiring(type))
    }
    #expect(path(.wifi).isSatisfied && path(.wifi).interfaces.map(\.name) == ["wlan0"])
    #expect(!path(.wifi).isExpensive && path(.cellular).isExpensive)
    #expect(path(.cellular).interfaces.map(\.name) == ["wwan0"])
    for type in [NetworkPath.Interface.Kind.wired, .virtual, .other, .loopback] {
      #expect(path(type).status == .unsatisfied && path(type).reason == .noPermittedInterface)
      #expect(path(type).interfaces.isEmpty)
    }
  }

  @Test func `a path that prohibits types of interface uses only interfaces of other types`() {
    let path = { (types: [NetworkPath.Interface.Kind]) in
      NetworkPath(Self.modemAndWifi, to: .internet, rules: PathRules().prohibiting(types))
    }
    #expect(path([]) == NetworkPath(Self.modemAndWifi, to: .internet))
    #expect(path([.cellular]).interfaces.map(\.name) == ["wlan0"])
    #expect(path([.wifi, .loopback]).interfaces.map(\.name) == ["wwan0"])
    #expect(path([.wifi, .cellular]).reason == .noPermittedInterface)
  }

  @Test func `an unsatisfied path over a required type has the reason of the interfaces of that type`() {
    let wifi = PathRules().requiring(.wifi)
    let reason = { (links: [Snapshot.Link], addresses: [Snapshot.Address]) in
      var snapshot = Decision.snapshot(
        [Decision.eth] + links, [Decision.address(2)] + addresses, [Decision.route(2)])
      snapshot.routesToInternet = [Decision.route(2)]
      return NetworkPath(snapshot, to: .internet, rules: wifi).reason
    }
    #expect(reason([], []) == .noPermittedInterface)
    #expect(reason([Decision.link(3, "wlan0", up: false)], []) == .noPermittedInterface)
    #expect(reason([Decision.link(3, "wlan0", running: false)], []) == .noCarrier)
    #expect(reason([Decision.link(3, "wlan0")], []) == .noAddress)
    #expect(reason([Decision.link(3, "wlan0")], [Decision.address(3)]) == .noDefaultRoute)
    #expect(NetworkPath(Decision.snapshot([]), to: .internet, rules: wifi).reason == .noInterface)
    #expect(
      NetworkPath(Decision.snapshot([Decision.eth]), to: .internet, rules: wifi).text
        == "unsatisfied: no interface of a permitted type is up")
  }

  @Test func `a rejecting route over loopback applies to a path over a required type`() {
    var snapshot = Decision.snapshot(
      [Decision.link(3, "wlan0")], [Decision.address(3, .ipv6)],
      [Decision.route(3, .ipv6, metric: 1024)])
    let rules = PathRules().requiring(.wifi)
    #expect(NetworkPath(snapshot, to: .internet, rules: rules).isSatisfied)
    snapshot.routes.append(Decision.route(1, .ipv6, metric: 1, kind: .rejects))
    #expect(NetworkPath(snapshot, to: .internet, rules: rules).reason == .noDefaultRoute)
  }

  @Test func `the metered state of the default route does not apply to a path over another type`() {
    var snapshot = Self.modemAndWifi
    snapshot.metered = .yes
    let path = NetworkPath(snapshot, to: .internet, rules: PathRules().requiring(.wifi))
    #expect(!path.isExpensive && !path.isCostKnown)
  }
}
