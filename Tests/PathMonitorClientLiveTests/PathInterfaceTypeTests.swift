// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Testing

@testable import PathMonitorClientLive

/// Monitors that require or prohibit a type of interface.
@Suite("Path monitor for types of interface", .timeLimit(.minutes(5)))
struct PathInterfaceTypeTests {
  @Test(
    .enabled(if: NetworkFixture.isPermitted, NetworkFixture.skipReason),
    arguments: [PathRules().requiring(.wifi), PathRules().prohibiting([.virtual])])
  func `a path over permitted types follows these interfaces, although the kernel prefers another`(rules: PathRules)
    async throws
  {
    // The driver of the second virtual cable reports Wi-Fi.
    let network = try NetworkFixture(rules: rules, deviceTypes: ["wlan0": "wlan"])
    network.connect()
    network.watch()
    await network.expectNext("unsatisfied noPermittedInterface")
    network.connectCable("wlan0", to: "isp1")
    network.isp.ip("link set isp1 up")
    let noAddress = "unsatisfied noAddress wlan0"
    await network.expect(
      [[noAddress], ["unsatisfied noCarrier wlan0", noAddress]], for: "Wi-Fi is set up"
    ) { network.board.ip("link set wlan0 up") }
    await network.expect([["unsatisfied noDefaultRoute wlan0"]], for: "Wi-Fi has an address") {
      network.board.ip("addr add 203.0.113.2/24 dev wlan0")
    }
    await network.expect([["satisfied wlan0 IPv4"]], for: "Wi-Fi has a route") {
      network.board.ip("route add default via 203.0.113.1 metric 600")
    }
    await network.expect([[]], for: "the preferred interface fails") {
      network.board.ip("link set wan0 down")
    }
    await network.expect([[]], for: "the preferred interface returns") {
      network.board.ip("link set wan0 up")
      network.board.ip(PathFaultsTests.route)
    }
    await network.expect([["unsatisfied noPermittedInterface"]], for: "Wi-Fi is set down") {
      network.board.ip("link set wlan0 down")
    }
  }

  @Test(.enabled(if: NetworkFixture.isPermitted, NetworkFixture.skipReason))
  func `a live monitor is satisfied only over an interface of a permitted type`() async throws {
    let (board, isp) = (NetworkNamespace(), NetworkNamespace())
    board.lay("wan0", to: "isp0", in: isp)
    board.ip("link set wan0 addrgenmode none")
    isp.ip("link set isp0 up")
    board.ip("addr add 198.51.100.2/24 dev wan0")
    board.ip("link set wan0 up")
    board.ip("route add default via 198.51.100.1")
    board.waitForCarrier(of: "wan0")
    let monitors: [(PathMonitorClient, String)] = [
      (.live(requiredInterfaceType: .virtual), "satisfied wan0 IPv4"),
      (.live(requiredInterfaceType: .wifi), "unsatisfied noPermittedInterface"),
      (.live(prohibitedInterfaceTypes: [.wifi]), "satisfied wan0 IPv4"),
      (.live(prohibitedInterfaceTypes: [.virtual, .wifi]), "unsatisfied noPermittedInterface"),
    ]
    for (monitor, summary) in monitors {
      // The monitor's thread inherits the namespace of the thread that subscribes.
      let paths = try #require(board.inside { monitor.networkPaths() })
      var iterator = paths.makeAsyncIterator()
      let path = await iterator.next().map(NetworkFixture.summary)
      #expect(path == summary)
    }
  }
}
