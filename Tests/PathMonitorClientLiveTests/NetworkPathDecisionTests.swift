// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Testing

@testable import PathMonitorClientLive

@Suite("Path from a snapshot")
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
      "cable unplugged, route still present",
      snapshot([link(2, "eth0", running: false)], [address(2)], [route(2)]), .unsatisfied,
      .noCarrier
    ),
    (
      "cable unplugged and its route removed, a bridge running",
      snapshot([link(2, "eth0", running: false), link(3, "br0", kind: "bridge")], [address(3)]),
      .unsatisfied, .noCarrier
    ),
    (
      "cable unplugged, a virtual pair with an address running",
      snapshot(
        [link(2, "eth0", running: false), link(3, "veth0", kind: "veth")],
        [address(2), address(3)]), .unsatisfied, .noCarrier
    ),
    (
      "one cable unplugged, a second cable plugged in",
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
      "a rejecting route with a lower metric than a usable route",
      snapshot([eth], [address(2)], [route(2), route(2, metric: 50, kind: .rejects)]),
      .unsatisfied, .noDefaultRoute
    ),
    (
      "a rejecting route with a higher metric than a usable route",
      snapshot([eth], [address(2)], [route(2), route(2, metric: 9000, kind: .rejects)]),
      .satisfied, nil
    ),
    (
      "an IPv6 route that rejects, a usable IPv4 route",
      snapshot([eth], [address(2)], [route(2), route(2, .ipv6, metric: 1, kind: .rejects)]),
      .satisfied, nil
    ),
    (
      "a multicast route without a prefix",
      snapshot([eth], [address(2)], [route(2, kind: .other)]), .unsatisfied, .noDefaultRoute
    ),
    (
      "next hop unreachable, interface running",
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
      "no name server", snapshot([eth], [address(2)], [route(2)], dns: false), .satisfied,
      .dnsMissing
    ),
  ]

  @Test(arguments: cases.indices)
  func `the status and reason of the path to the internet depend on the snapshot`(index: Int) {
    let (name, snapshot, status, reason) = Self.cases[index]
    let path = NetworkPath(snapshot, to: .internet)
    #expect(path.status == status, "\(name)")
    #expect(path.reason == reason, "\(name)")
  }

  @Test func `the interfaces of a path are ordered by metric, and the first interface sets the cost`() {
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

  @Test func `metrics are compared within a family, and one metered family makes a path expensive`() {
    let snapshot = Self.snapshot(
      [Self.eth, Self.link(3, "wwan0")],
      [Self.address(2), Self.address(3), Self.address(3, .ipv6)],
      [Self.route(2, metric: 100), Self.route(3, metric: 700), Self.route(3, .ipv6, metric: 1024)])
    let path = NetworkPath(snapshot, to: .internet)
    // Connections to a name with addresses of both families try IPv6 first.
    #expect(path.interfaces.map(\.name) == ["wwan0", "eth0"])
    #expect(path.isExpensive)
  }

  @Test func `a path to the board itself needs only the loopback interface`() {
    #expect(NetworkPath(Self.snapshot([]), to: .loopback).isSatisfied)
    var down = Snapshot()
    down.links = [Self.link(1, "lo", up: false)]
    let path = NetworkPath(down, to: .loopback)
    #expect(path.status == .unsatisfied && path.reason == .noInterface)
  }

  @Test func `a path to an address needs a route over a link with a carrier`() {
    var snapshot = Self.snapshot([Self.eth], [Self.address(2)])
    #expect(!NetworkPath(snapshot, to: .address([192, 168, 1, 9])).isSatisfied)
    snapshot.routeToDestination = Self.route(2, length: 24, main: false)
    #expect(NetworkPath(snapshot, to: .address([192, 168, 1, 9])).isSatisfied)
    snapshot.links = [Self.link(2, "eth0", running: false)]
    #expect(NetworkPath(snapshot, to: .address([192, 168, 1, 9])).reason == .noCarrier)
  }

  @Test func `a path to an address needs a usable source address`() {
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

  @Test func `the cost of a wired path is known only from a rule or from NetworkManager`() {
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

  @Test func `a path to the local network needs an address, but no route`() {
    let linkLocal = Self.snapshot([Self.eth], [Self.address(2, .ipv6, global: false)])
    let path = NetworkPath(linkLocal, to: .localNetwork)
    #expect(path.isSatisfied && path.supportsIPv6 && !path.supportsIPv4)
    #expect(path.interfaces.map(\.name) == ["eth0"])
    #expect(NetworkPath(Self.snapshot([Self.eth]), to: .localNetwork).reason == .noAddress)
    #expect(NetworkPath(Self.snapshot([]), to: .localNetwork).reason == .noInterface)
  }

  @Test func `a path ignores only the interfaces that match the ignore rules`() {
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

  @Test func `the first interface of a path determines the cost, unless a rule applies`() {
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
    arguments: [
      (.yes, "eth0", true), (.guessedYes, "eth0", true), (.no, "eth0", false),
      (.guessedNo, "eth0", false), (.unknown, "eth0", false), (.yes, "wwan0", true),
      // The user's "no" takes precedence over the kind; a guessed "no" does not.
      (.no, "wwan0", false), (.guessedNo, "wwan0", true), (.unknown, "wwan0", true),
    ] as [(Metered, String, Bool)])
  func `NetworkManager determines the cost of the default route, unless a rule applies`(
    metered: Metered, name: String, isExpensive: Bool
  ) {
    var snapshot = Self.snapshot([Self.link(2, name)], [Self.address(2)], [Self.route(2)])
    snapshot.metered = metered
    let path = { (rules: PathRules) in NetworkPath(snapshot, to: .internet, rules: rules) }
    #expect(path(PathRules()).isExpensive == isExpensive)
    #expect(path(PathRules(expensive: [name])).isExpensive)
    #expect(!path(PathRules(inexpensive: [name])).isExpensive)
  }

  @Test func `the metered state from NetworkManager applies only to paths over the default route`() {
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
  func `the kind of an interface is determined from the link`(
    link: NetworkSnapshot.Link, kind: NetworkPath.Interface.Kind
  ) {
    #expect(NetworkPath.Interface(link).kind == kind)
  }

  @Test func `the device type of an interface is read from uevent`() {
    #expect(DeviceType.find(in: "DEVTYPE=wlan\nINTERFACE=wlan0\n") == "wlan")
    #expect(DeviceType.find(in: "INTERFACE=eth0\nIFINDEX=2\n") == nil)
    #expect(DeviceType.of("../../etc/passwd") == nil)
    #expect(DeviceType.of("no such interface") == nil)
  }

  @Test(
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
  func `the path destination is determined from the host of a URL`(host: String, destination: PathDestination) {
    #expect(PathDestination(host: host) == destination)
  }

  @Test func `name servers are found in resolv.conf`() {
    #expect(ResolverConfiguration.hasNameserver(in: "# x\nsearch a\nnameserver 10.0.0.1\n"))
    #expect(ResolverConfiguration.hasNameserver(in: "nameserver\t10.0.0.1"))
    #expect(!ResolverConfiguration.hasNameserver(in: "#nameserver 10.0.0.1\nnameserver\n"))
    #expect(!ResolverConfiguration.hasNameserver(path: "/nonexistent"))
  }
}
