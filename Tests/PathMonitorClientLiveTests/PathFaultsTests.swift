// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import PathMonitorClient
import Testing

@testable import PathMonitorClientLive

/// Faults of a wired connection, simulated in network namespaces.
@Suite(
  "Path monitor with network faults", .enabled(if: NetworkFixture.isPermitted, NetworkFixture.skipReason),
  .timeLimit(.minutes(5)))
struct PathFaultsTests {
  /// A sequence of changes to a board with a satisfied path.
  struct Fault: CustomTestStringConvertible, Sendable {
    struct Step: Sendable {
      /// The namespace in which to run `ip`: the board or its provider.
      var place: String
      /// The arguments of `ip`.
      var line: String
      /// The sequences of paths that may be published.
      var allowed: [[String]]

      static func board(_ line: String, _ allowed: [String]...) -> Step {
        Step(place: "board", line: line, allowed: allowed)
      }

      static func isp(_ line: String, _ allowed: [String]...) -> Step {
        Step(place: "isp", line: line, allowed: allowed)
      }
    }

    var testDescription: String
    /// The arguments of `ip` commands on the board before the subscription.
    var before: [String] = []
    var first = "satisfied wan0 IPv4"
    var steps: [Step]
  }

  static let route = "route add default via 198.51.100.1"
  static let halves = ["0.0.0.0/1", "128.0.0.0/1"].map { "route add \($0) via 198.51.100.1" }
  static let nextHop = "route add default nhid 7"
  static let satisfied = ["satisfied wan0 IPv4"]
  static let satisfiedIPv6 = ["satisfied wan0 IPv6"]
  static let noInterface = ["unsatisfied noInterface"]
  static let noCarrier = ["unsatisfied noCarrier wan0"]
  static let noAddress = ["unsatisfied noAddress wan0"]
  static let noRoute = ["unsatisfied noDefaultRoute wan0"]

  /// The faults.
  ///
  /// A link that is set up may have no carrier for up to a second, depending on the kernel. Steps
  /// for which this matters have a second allowed sequence.
  static let faults = [
    Fault(
      testDescription: "a link set down silently loses its IPv4 route, which must be added again",
      steps: [
        .board("link set wan0 down", noInterface),
        .board("link set wan0 up", noRoute, noCarrier + noRoute),
        .board(route, satisfied),
      ]),
    Fault(
      testDescription: "carrier loss makes the path unsatisfied, although the route remains",
      steps: [.isp("link set isp0 down", noCarrier), .isp("link set isp0 up", satisfied)]),
    Fault(
      testDescription: "a default route is deleted and added",
      steps: [.board("route del default", noRoute), .board(route, satisfied)]),
    Fault(
      testDescription: "deleting an address silently removes the route",
      steps: [
        .board("addr del 198.51.100.2/24 dev wan0", noAddress),
        .board("addr add 198.51.100.2/24 dev wan0", noRoute),
        .board(route, satisfied),
      ]),
    Fault(
      testDescription: "only a link-local address remains",
      before: ["addr add 169.254.7.7/16 dev wan0"],
      steps: [
        .board("addr del 198.51.100.2/24 dev wan0", ["unsatisfied linkLocalOnly wan0"])
      ]),
    Fault(
      testDescription: "a second default route with a better metric is preferred",
      before: ["route del default", route + " metric 100"],
      steps: [
        .board("route add default via 192.0.2.1 metric 50", ["satisfied wan1 wan0 IPv4"]),
        .isp("link set isp1 down", satisfied),
        .isp("link set isp1 up", ["satisfied wan1 wan0 IPv4"]),
        .board("link del wan0", ["satisfied wan1 IPv4"]),
        .board("route del default", ["unsatisfied noDefaultRoute wan1"]),
      ]),
    Fault(
      testDescription: "an IPv6 default route alone satisfies the path",
      before: [
        "addr del 198.51.100.2/24 dev wan0", "addr add 2001:db8::2/64 dev wan0 nodad",
        "-6 route add default via 2001:db8::1",
      ], first: "satisfied wan0 IPv6",
      steps: [
        .board("-6 route del default", noRoute),
        .board("-6 route add default via 2001:db8::1", satisfiedIPv6),
        .isp("link set isp0 down", noCarrier),
        .isp("link set isp0 up", satisfiedIPv6),
        // IPv6 addresses are lost when the link is set down.
        .board("link set wan0 down", noInterface),
        .board("link set wan0 up", noAddress, noCarrier + noAddress),
      ]),
    Fault(
      testDescription: "two routes for halves of the internet, as with a VPN, satisfy the path",
      before: ["route del default"] + halves,
      steps: [.board("route del 128.0.0.0/1", noRoute), .board(halves[1], satisfied)]),
    Fault(
      testDescription: "a default route in another table is used if a rule selects that table",
      before: ["route del default", route + " table 100", "rule add lookup 100"],
      steps: [.board("rule del lookup 100", noRoute), .board("rule add lookup 100", satisfied)]),
    Fault(
      testDescription: "a next hop object is treated like any next hop",
      before: ["route del default", "nexthop add id 7 via 198.51.100.1 dev wan0", nextHop],
      steps: [.board("nexthop del id 7", noRoute)]),
    Fault(testDescription: "an interface is deleted", steps: [.board("link del wan0", noInterface)]),
    Fault(
      testDescription: "packet loss upstream does not affect the path",
      steps: [
        .isp("route add blackhole 198.51.100.2/32", []),
        .board("route del default", noRoute),
      ]),
  ]

  @Test(arguments: faults)
  func `after each network fault, the monitor publishes exactly the expected paths in order`(_ fault: Fault)
    async throws
  {
    let network = try NetworkFixture()
    network.connect()
    if fault.testDescription.contains("second") {
      network.connectCable("wan1", to: "isp1")
      network.isp.ip("link set isp1 up")
      network.board.ip("addr add 192.0.2.2/24 dev wan1")
      network.board.ip("link set wan1 up")
    }
    if fault.before.contains(Self.nextHop) { #expect(network.board.disableNextHopCompatibility()) }
    for line in fault.before { #expect(network.board.ip(line) == 0, "\(line)") }
    // The notification of a new carrier may be delayed.
    network.watch()
    await network.published.wait { $0.last.map { NetworkFixture.summary($0.path) } == fault.first }
    await network.settle()
    #expect(network.published.events.last.map { NetworkFixture.summary($0.path) } == fault.first)
    for step in fault.steps {
      let wasSatisfied = network.published.events.last?.path.isSatisfied
      let delay = await network.expect(step.allowed, for: step.line) {
        let place = step.place == "board" ? network.board : network.isp
        #expect(place.ip(step.line) == 0, "\(step.line)")
      }
      guard let delay, wasSatisfied == true else { continue }
      let last = network.published.events.last?.path.isSatisfied == false
      // The delay includes the run time of `ip`.
      print("\(last ? "loss" : "change") by \"\(step.line)\": published after \(delay)")
    }
  }

  @Test(arguments: [
    ("board", "link set wan0 down", noInterface), ("isp", "link set isp0 down", noCarrier),
    ("board", "route del default", noRoute),
    ("board", "addr del 198.51.100.2/24 dev wan0", noAddress),
    ("board", "link del wan0", noInterface),
  ])
  func `with default timing, the kernel's notification alone causes a loss to be published`(
    place: String, line: String, expected: [String]
  ) async throws {
    let network = try NetworkFixture(timing: PathWatch.Timing(backstop: NetworkFixture.never))
    network.connect()
    network.watch()
    await network.published.wait { $0.last?.path.isSatisfied == true }
    await network.settle()
    let delay = await network.expect([expected], for: line) {
      #expect((place == "board" ? network.board : network.isp).ip(line) == 0)
    }
    print("loss by \"\(line)\": published after \(delay ?? .zero)")
    #expect(delay != nil)
  }

  @Test func `the path monitor publishes each state from no interface to a satisfied path`() async throws {
    let network = try NetworkFixture()
    network.watch()
    await network.expectNext("unsatisfied noInterface")
    await network.expect([Self.noCarrier], for: "wan0 up") {
      network.connectCable("wan0", to: "isp0")
      network.board.ip("link set wan0 up")
    }
    await network.expect([Self.noAddress], for: "isp0 up") { network.isp.ip("link set isp0 up") }
    await network.expect([Self.noRoute], for: "address added") {
      network.board.ip("addr add 198.51.100.2/24 dev wan0")
    }
    await network.expect([Self.satisfied], for: "route added") { network.board.ip(Self.route) }
  }

  @Test func `a path to a local address needs a route to this address, but no default route`() async throws {
    let network = try NetworkFixture(to: .address([198, 51, 100, 9]))
    network.connect(route: false)
    network.watch()
    await network.published.wait { $0.last.map { NetworkFixture.summary($0.path) } == Self.satisfied[0] }
    await network.expect([Self.noCarrier], for: "carrier lost") { network.isp.ip("link set isp0 down") }
    await network.expect([Self.satisfied], for: "carrier restored") { network.isp.ip("link set isp0 up") }
    await network.expect([Self.noAddress], for: "address removed") {
      network.board.ip("addr flush dev wan0 scope global")
    }
  }

  @Test func `a satisfied path after a loss is published after the hold time`() async throws {
    let network = try NetworkFixture(timing: PathWatch.Timing(hold: 300_000_000, backstop: NetworkFixture.never))
    network.connect()
    network.watch()
    await network.published.wait { $0.last?.path.isSatisfied == true }
    await network.expect([Self.noRoute], for: "route deleted") { network.board.ip("route del default") }
    let back = await network.expect([Self.satisfied], for: "route added") { network.board.ip(Self.route) }
    #expect(back.map { $0 >= .milliseconds(300) } == true)
  }

  @Test(arguments: ["in place", "by a rename", "by a link", "deleted"])
  func `the monitor publishes removed and added name servers at once`(how: String) async throws {
    let network = try NetworkFixture()
    network.connect()
    let folder = network.resolver.deletingLastPathComponent()
    let files = FileManager.default
    if how == "by a link" {
      // As with systemd-resolved and resolvconf: a link to a file in another folder.
      let other = folder.appending(path: "run")
      try files.createDirectory(at: other, withIntermediateDirectories: false)
      try files.moveItem(at: network.resolver, to: other.appending(path: "stub"))
      try files.createSymbolicLink(atPath: network.resolver.path, withDestinationPath: "run/stub")
    }
    network.watch()
    await network.published.wait { $0.last.map { NetworkFixture.summary($0.path) } == Self.satisfied[0] }
    func write(_ text: String) throws {
      let real = how == "by a link" ? folder.appending(path: "run/stub") : network.resolver
      if how == "deleted", text.isEmpty { return try files.removeItem(at: real) }
      try Data(text.utf8).write(to: real, options: how == "in place" ? [] : .atomic)
    }
    for _ in 1...2 {
      let missing = try await network.expect([["satisfied dnsMissing wan0 IPv4"]], for: "name servers removed") {
        try write("")
      }
      let back = try await network.expect([Self.satisfied], for: "name servers added") {
        try write("nameserver 192.0.2.54\n")
      }
      print("name servers gone \(how): published after \(missing ?? .zero), back \(back ?? .zero)")
    }
  }
}
