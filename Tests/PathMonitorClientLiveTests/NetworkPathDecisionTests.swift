// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Testing

@testable import PathMonitorClientLive

@Suite("What a snapshot means")
struct NetworkPathDecisionTests {
  typealias Snapshot = NetworkSnapshot

  static func link(
    _ index: Int32, _ name: String, up: Bool = true, running: Bool = true, hardware: UInt16 = 1,
    kind: String? = nil
  ) -> Snapshot.Link {
    Snapshot.Link(
      index: index, name: name, hardware: name == "lo" ? 772 : hardware, kind: kind, isUp: up,
      isRunning: up && running, isLoopback: name == "lo")
  }

  static func address(
    _ index: Int32, _ family: Snapshot.Family = .ipv4, global: Bool = true, usable: Bool = true
  ) -> Snapshot.Address {
    Snapshot.Address(index: index, family: family, isGlobal: global, isUsable: usable)
  }

  static func route(
    _ index: Int32, _ family: Snapshot.Family = .ipv4, length: UInt8 = 0, metric: UInt32 = 100,
    leads: Bool = true, main: Bool = true, down: Bool = false
  ) -> Snapshot.Route {
    Snapshot.Route(
      family: family, index: index, destinationLength: length, metric: metric,
      leadsSomewhere: leads, isInMainTable: main, isLinkDown: down)
  }

  static func snapshot(
    _ links: [Snapshot.Link], _ addresses: [Snapshot.Address] = [],
    _ routes: [Snapshot.Route] = [], dns: Bool = true
  ) -> Snapshot {
    var made = Snapshot()
    made.links = [link(1, "lo")] + links
    made.addresses = [address(1)] + addresses
    made.routes = routes
    made.hasNameserver = dns
    return made
  }

  static let eth = link(2, "eth0")

  static let cases: [(String, Snapshot, NetworkPath.Status, NetworkPath.Reason?)] = [
    ("no interface", snapshot([]), .unsatisfied, .noInterface),
    ("interface down", snapshot([link(2, "eth0", up: false)]), .unsatisfied, .noInterface),
    ("no carrier", snapshot([link(2, "eth0", running: false)]), .unsatisfied, .noCarrier),
    (
      "cable pulled, route still there",
      snapshot([link(2, "eth0", running: false)], [address(2)], [route(2)]), .unsatisfied,
      .noCarrier
    ),
    ("no address", snapshot([eth]), .unsatisfied, .noAddress),
    (
      "tentative address", snapshot([eth], [address(2, .ipv6, usable: false)], [route(2, .ipv6)]),
      .unsatisfied, .noAddress
    ),
    (
      "link-local only", snapshot([eth], [address(2, .ipv6, global: false)]), .unsatisfied,
      .linkLocalOnly
    ),
    ("no default route", snapshot([eth], [address(2)]), .unsatisfied, .noDefaultRoute),
    (
      "only a route to the subnet", snapshot([eth], [address(2)], [route(2, length: 24)]),
      .unsatisfied, .noDefaultRoute
    ),
    (
      "blackhole", snapshot([eth], [address(2)], [route(2, leads: false)]), .unsatisfied,
      .noDefaultRoute
    ),
    (
      "default route in another table", snapshot([eth], [address(2)], [route(2, main: false)]),
      .unsatisfied, .noDefaultRoute
    ),
    ("satisfied", snapshot([eth], [address(2)], [route(2)]), .satisfied, nil),
    (
      "satisfied by IPv6 alone", snapshot([eth], [address(2, .ipv6)], [route(2, .ipv6)]),
      .satisfied, nil
    ),
    (
      "IPv6 route but only an IPv4 address", snapshot([eth], [address(2)], [route(2, .ipv6)]),
      .unsatisfied, .noAddress
    ),
    (
      "nobody to ask for names", snapshot([eth], [address(2)], [route(2)], dns: false), .satisfied,
      .dnsMissing
    ),
  ]

  @Test("is decided", arguments: cases.indices)
  func decided(index: Int) {
    let (name, snapshot, status, reason) = Self.cases[index]
    let path = NetworkPath(snapshot, to: .internet)
    #expect(path.status == status, "\(name)")
    #expect(path.reason == reason, "\(name)")
  }

  @Test("lists interfaces by metric and says what the first one costs")
  func order() {
    let snapshot = Self.snapshot(
      [Self.eth, Self.link(3, "wwan0"), Self.link(4, "wlan0")],
      [Self.address(2), Self.address(3), Self.address(4), Self.address(3, .ipv6)],
      [
        Self.route(2, metric: 300), Self.route(3, metric: 50),
        Self.route(4, metric: 100, down: true),
        Self.route(3, .ipv6, metric: 1024),
      ])
    let path = NetworkPath(snapshot, to: .internet)
    #expect(path.interfaces.map(\.name) == ["wwan0", "eth0"])
    #expect(path.interfaces.map(\.kind) == [.cellular, .wired])
    #expect(path.isExpensive && path.supportsIPv4 && path.supportsIPv6 && path.supportsDNS)
  }

  @Test("to the board itself wants the loopback interface and nothing else")
  func loopback() {
    #expect(NetworkPath(Self.snapshot([]), to: .loopback).isSatisfied)
    var down = Snapshot()
    down.links = [Self.link(1, "lo", up: false)]
    let path = NetworkPath(down, to: .loopback)
    #expect(path.status == .unsatisfied && path.reason == .noInterface)
  }

  @Test("to an address wants a route to it, default or not, over a link with a carrier")
  func address() {
    var snapshot = Self.snapshot([Self.eth], [Self.address(2)])
    #expect(!NetworkPath(snapshot, to: .address([192, 168, 1, 9])).isSatisfied)
    snapshot.routeToDestination = Self.route(2, length: 24, main: false)
    #expect(NetworkPath(snapshot, to: .address([192, 168, 1, 9])).isSatisfied)
    snapshot.links = [Self.link(2, "eth0", running: false)]
    #expect(NetworkPath(snapshot, to: .address([192, 168, 1, 9])).reason == .noCarrier)
  }

  @Test(
    "knows where a host is",
    arguments: [
      ("localhost", .loopback), ("127.0.0.53", .loopback), ("[::1]", .loopback),
      ("weather.localhost", .loopback), ("192.168.1.9", .address([192, 168, 1, 9])),
      ("api.open-meteo.com", .internet), ("127.0.0.1.example.org", .internet), ("", .internet),
    ] as [(String, PathDestination)])
  func destinations(host: String, destination: PathDestination) {
    #expect(PathDestination(host: host) == destination)
  }

  @Test("finds name servers in resolv.conf")
  func nameservers() {
    #expect(ResolverConfiguration.hasNameserver(in: "# x\nsearch a\nnameserver 10.0.0.1\n"))
    #expect(ResolverConfiguration.hasNameserver(in: "nameserver\t10.0.0.1"))
    #expect(!ResolverConfiguration.hasNameserver(in: "#nameserver 10.0.0.1\nnameserver\n"))
    #expect(!ResolverConfiguration.hasNameserver(path: "/nonexistent"))
  }
}
