// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Testing

@testable import PathMonitorClientLive

@Suite("What a snapshot means")
struct NetworkPathDecisionTests {
  typealias Snapshot = NetworkSnapshot

  static func link(
    _ index: Int32, _ name: String, up: Bool = true, running: Bool = true, hardware: UInt16 = 1,
    kind: String? = nil, device: String? = nil
  ) -> Snapshot.Link {
    Snapshot.Link(
      index: index, name: name, hardware: name == "lo" ? 772 : hardware, kind: kind,
      deviceType: device, isUp: up, isRunning: up && running, isLoopback: name == "lo")
  }

  static func address(
    _ index: Int32, _ family: Snapshot.Family = .ipv4, global: Bool = true, usable: Bool = true
  ) -> Snapshot.Address {
    Snapshot.Address(index: index, family: family, isGlobal: global, isUsable: usable)
  }

  static func route(
    _ index: Int32, _ family: Snapshot.Family = .ipv4, length: UInt8 = 0, metric: UInt32 = 100,
    kind: Snapshot.Route.Kind = .forwards, main: Bool = true, down: Bool = false
  ) -> Snapshot.Route {
    Snapshot.Route(
      family: family, index: index, destinationLength: length, metric: metric,
      kind: kind, isInMainTable: main, isLinkDown: down)
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
    (
      "cable pulled and its route taken away, a bridge running",
      snapshot([link(2, "eth0", running: false), link(3, "br0", kind: "bridge")], [address(3)]),
      .unsatisfied, .noCarrier
    ),
    (
      "cable pulled, a pair with an address running",
      snapshot(
        [link(2, "eth0", running: false), link(3, "veth0", kind: "veth")],
        [address(2), address(3)]), .unsatisfied, .noCarrier
    ),
    (
      "one of two cables pulled",
      snapshot([link(2, "eth0", running: false), link(3, "eth1")], [address(3)]), .unsatisfied,
      .noDefaultRoute
    ),
    (
      "a cable into a bridge that has the address",
      snapshot([eth, link(3, "br0", kind: "bridge")], [address(3)]), .unsatisfied,
      .noDefaultRoute
    ),
    (
      "a bridge alone", snapshot([link(3, "br0", kind: "bridge")], [address(3)]), .unsatisfied,
      .noDefaultRoute
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
      "blackhole", snapshot([eth], [address(2)], [route(2, kind: .rejects)]), .unsatisfied,
      .noDefaultRoute
    ),
    (
      "a route that refuses, before one that would lead",
      snapshot([eth], [address(2)], [route(2), route(2, metric: 50, kind: .rejects)]),
      .unsatisfied, .noDefaultRoute
    ),
    (
      "a route that refuses, behind one that leads",
      snapshot([eth], [address(2)], [route(2), route(2, metric: 9000, kind: .rejects)]),
      .satisfied, nil
    ),
    (
      "IPv6 refuses, IPv4 leads",
      snapshot([eth], [address(2)], [route(2), route(2, .ipv6, metric: 1, kind: .rejects)]),
      .satisfied, nil
    ),
    (
      "a multicast route without a prefix",
      snapshot([eth], [address(2)], [route(2, kind: .other)]), .unsatisfied, .noDefaultRoute
    ),
    (
      "next hop out of reach, interface running",
      snapshot([eth], [address(2)], [route(2, down: true)]), .unsatisfied, .noCarrier
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

  @Test("weighs metrics within a family only, and counts what either family costs")
  func families() {
    let snapshot = Self.snapshot(
      [Self.eth, Self.link(3, "wwan0")],
      [Self.address(2), Self.address(3), Self.address(3, .ipv6)],
      [Self.route(2, metric: 100), Self.route(3, metric: 700), Self.route(3, .ipv6, metric: 1024)])
    let path = NetworkPath(snapshot, to: .internet)
    // A name with addresses of both families is tried by IPv6 first.
    #expect(path.interfaces.map(\.name) == ["wwan0", "eth0"])
    #expect(path.isExpensive)
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

  @Test("to an address wants one to be answered at, as the internet does")
  func answerable() {
    let far = PathDestination.address([192, 168, 1, 9])
    func path(_ addresses: [Snapshot.Address], _ to: PathDestination) -> NetworkPath {
      var snapshot = Self.snapshot([Self.eth], addresses)
      snapshot.routeToDestination = Self.route(2)
      return NetworkPath(snapshot, to: to)
    }
    #expect(path([], far).reason == .noAddress)
    #expect(path([Self.address(2, usable: false)], far).reason == .noAddress)
    #expect(path([Self.address(2, .ipv6)], far).reason == .noAddress)
    #expect(path([Self.address(2, global: false)], far).reason == .linkLocalOnly)
    #expect(path([Self.address(2, global: false)], .address([169, 254, 1, 9])).isSatisfied)
    var own = Self.snapshot([Self.eth], [Self.address(2)])
    own.routeToDestination = Self.route(1)
    #expect(NetworkPath(own, to: far).isSatisfied)
  }

  @Test("knows what bytes cost only where somebody has said so")
  func knownCost() {
    var snapshot = Self.snapshot([Self.eth], [Self.address(2)], [Self.route(2)])
    let isKnown = { (rules: PathRules) in
      NetworkPath(snapshot, to: .internet, rules: rules).isCostKnown
    }
    #expect(!isKnown(PathRules()))
    #expect(!NetworkPath(snapshot, to: .internet).text.contains("metered"))
    #expect(isKnown(PathRules(inexpensive: ["eth0"])))
    #expect(isKnown(PathRules(expensive: ["eth0"])))
    snapshot.metered = .no
    #expect(isKnown(PathRules()))
    #expect(NetworkPath(snapshot, to: .internet).text.hasSuffix(", not metered"))
  }

  @Test("to a neighbour wants any address at all, and no route")
  func neighbour() {
    let linkLocal = Self.snapshot([Self.eth], [Self.address(2, .ipv6, global: false)])
    let path = NetworkPath(linkLocal, to: .localNetwork)
    #expect(path.isSatisfied && path.supportsIPv6 && !path.supportsIPv4)
    #expect(path.interfaces.map(\.name) == ["eth0"])
    #expect(NetworkPath(Self.snapshot([Self.eth]), to: .localNetwork).reason == .noAddress)
    #expect(NetworkPath(Self.snapshot([]), to: .localNetwork).reason == .noInterface)
  }

  @Test("leaves out what the rules ignore, and nothing else by its name")
  func ignored() {
    let snapshot = Self.snapshot(
      [Self.link(2, "docker0", kind: "bridge"), Self.link(3, "veth1", kind: "veth")],
      [Self.address(2), Self.address(3)], [Self.route(2, metric: 1), Self.route(3)])
    #expect(
      NetworkPath(snapshot, to: .internet).interfaces.map(\.name) == ["docker0", "veth1"])
    let ignoring = { (patterns: [String]) in
      NetworkPath(snapshot, to: .internet, rules: PathRules(ignored: patterns))
    }
    #expect(ignoring(["docker*"]).interfaces.map(\.name) == ["veth1"])
    #expect(ignoring(["docker*", "veth?"]).reason == .noInterface)
    var routed = snapshot
    routed.routeToDestination = Self.route(2, length: 24)
    let path = NetworkPath(
      routed, to: .address([10, 0, 0, 1]), rules: PathRules(ignored: ["docker0"]))
    #expect(!path.isSatisfied)
  }

  @Test("costs what its first interface costs, unless the rules know better")
  func cost() {
    let snapshot = Self.snapshot(
      [Self.eth, Self.link(3, "wwan0")], [Self.address(2), Self.address(3)],
      [Self.route(2, metric: 10), Self.route(3, metric: 20)])
    let path = { (rules: PathRules) in NetworkPath(snapshot, to: .internet, rules: rules) }
    #expect(!path(PathRules()).isExpensive)
    #expect(path(PathRules(expensive: ["eth*"])).isExpensive)
    #expect(!path(PathRules(expensive: ["eth*"], inexpensive: ["eth0"])).isExpensive)
    #expect(path(PathRules(ignored: ["eth0"])).isExpensive)
    #expect(!path(PathRules(ignored: ["eth0"], inexpensive: ["ww*"])).isExpensive)
    #expect(path(PathRules(constrained: ["eth0"])).isConstrained)
    #expect(!path(PathRules(constrained: ["wwan0"])).isConstrained)
  }

  @Test(
    "costs what NetworkManager says of the default route; the rules know better still",
    arguments: [
      (.yes, "eth0", true), (.guessedYes, "eth0", true), (.no, "eth0", false),
      (.guessedNo, "eth0", false), (.unknown, "eth0", false), (.yes, "wwan0", true),
      // A person's "no" counts for more than the kind, a guess for less.
      (.no, "wwan0", false), (.guessedNo, "wwan0", true), (.unknown, "wwan0", true),
    ] as [(Metered, String, Bool)])
  func metered(metered: Metered, name: String, isExpensive: Bool) {
    var snapshot = Self.snapshot([Self.link(2, name)], [Self.address(2)], [Self.route(2)])
    snapshot.metered = metered
    let path = { (rules: PathRules) in NetworkPath(snapshot, to: .internet, rules: rules) }
    #expect(path(PathRules()).isExpensive == isExpensive)
    #expect(path(PathRules(expensive: [name])).isExpensive)
    #expect(!path(PathRules(inexpensive: [name])).isExpensive)
  }

  @Test("costs nothing by NetworkManager's word where it does not go by the default route")
  func meteredElsewhere() {
    var snapshot = Self.snapshot(
      [Self.eth, Self.link(3, "wlan0")], [Self.address(2), Self.address(3)], [Self.route(3)])
    snapshot.metered = .yes
    #expect(NetworkPath(snapshot, to: .internet).isExpensive)
    #expect(!NetworkPath(snapshot, to: .loopback).isExpensive)
    snapshot.routeToDestination = Self.route(2, length: 24)
    #expect(!NetworkPath(snapshot, to: .address([192, 168, 1, 9])).isExpensive)
    snapshot.routeToDestination = Self.route(3)
    #expect(NetworkPath(snapshot, to: .address([192, 168, 1, 9])).isExpensive)
  }

  @Test(
    "tells interfaces apart",
    arguments: [
      (link(1, "lo"), .loopback), (eth, .wired), (link(2, "enp1s0"), .wired),
      (link(2, "wan0", device: "wlan"), .wifi), (link(2, "wlp2s0"), .wifi),
      (link(2, "mon0", hardware: 803), .wifi), (link(2, "wan0", device: "wwan"), .cellular),
      (link(2, "wwan0"), .cellular), (link(2, "ppp0", hardware: 512), .cellular),
      (link(2, "ppp0", hardware: 512, kind: "ppp"), .cellular),
      (link(2, "wwan0", hardware: 519, kind: "wwan"), .cellular),
      (link(2, "veth0", kind: "veth"), .virtual), (link(2, "tun0", hardware: 0xFFFE), .virtual),
      (link(2, "wlbridge", kind: "bridge"), .virtual), (link(2, "sit0", hardware: 776), .other),
      (link(2, "can0", hardware: 280), .other),
    ] as [(NetworkSnapshot.Link, NetworkPath.Interface.Kind)])
  func kinds(link: NetworkSnapshot.Link, kind: NetworkPath.Interface.Kind) {
    #expect(NetworkPath.Interface(link).kind == kind)
  }

  @Test("finds what a driver calls its interface")
  func deviceTypes() {
    #expect(DeviceType.find(in: "DEVTYPE=wlan\nINTERFACE=wlan0\n") == "wlan")
    #expect(DeviceType.find(in: "INTERFACE=eth0\nIFINDEX=2\n") == nil)
    #expect(DeviceType.of("../../etc/passwd") == nil)
    #expect(DeviceType.of("no such interface") == nil)
  }

  @Test(
    "knows where a host is",
    arguments: [
      ("localhost", .loopback), ("127.0.0.53", .loopback), ("[::1]", .loopback),
      ("weather.localhost", .loopback), ("weather.local", .localNetwork),
      ("Broker.LAN", .localNetwork), ("nas", .localNetwork), ("ha.home.arpa", .localNetwork),
      ("192.168.1.9", .address([192, 168, 1, 9])), ("localhost.", .loopback),
      ("nas.", .localNetwork), ("weather.lan.", .localNetwork), ("example.org.", .internet),
      ("[::ffff:127.0.0.1]", .loopback), ("::ffff:10.0.0.7", .address([10, 0, 0, 7])),
      ("2001:db8::1", .address([0x20, 1, 0xD, 0xB8] + Array(repeating: 0, count: 11) + [1])),
      ("fe80::1%eth0", .localNetwork), (".", .internet),
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
