// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Testing

@testable import PathMonitorClientLive

/// Monitors that require or prohibit a type of interface.
@Suite("Path monitor for types of interface", .timeLimit(.minutes(5)))
struct PathInterfaceTypeTests {
  @Test(
    .enabled(if: Lab.isPermitted, Lab.skipReason),
    arguments: [PathRules().requiring(.wifi), PathRules().prohibiting([.virtual])])
  func `a path over permitted types follows these interfaces, although the kernel prefers another`(rules: PathRules)
    async throws
  {
    // The driver of the second virtual cable reports Wi-Fi.
    let lab = try Lab(rules: rules, deviceTypes: ["wlan0": "wlan"])
    lab.connect()
    lab.watch()
    await lab.expectNext("unsatisfied noPermittedInterface")
    lab.connectCable("wlan0", to: "isp1")
    lab.isp.ip("link set isp1 up")
    let noAddress = "unsatisfied noAddress wlan0"
    await lab.expect(
      [[noAddress], ["unsatisfied noCarrier wlan0", noAddress]], for: "Wi-Fi is set up"
    ) { lab.board.ip("link set wlan0 up") }
    await lab.expect([["unsatisfied noDefaultRoute wlan0"]], for: "Wi-Fi has an address") {
      lab.board.ip("addr add 203.0.113.2/24 dev wlan0")
    }
    await lab.expect([["satisfied wlan0 IPv4"]], for: "Wi-Fi has a route") {
      lab.board.ip("route add default via 203.0.113.1 metric 600")
    }
    await lab.expect([[]], for: "the preferred interface fails") {
      lab.board.ip("link set wan0 down")
    }
    await lab.expect([[]], for: "the preferred interface returns") {
      lab.board.ip("link set wan0 up")
      lab.board.ip(PathFaultsTests.route)
    }
    await lab.expect([["unsatisfied noPermittedInterface"]], for: "Wi-Fi is set down") {
      lab.board.ip("link set wlan0 down")
    }
  }

  @Test func `live monitors that permit no type of interface are unsatisfied on this machine`() async {
    for monitor in [
      PathMonitorClient.live(requiredInterfaceType: .loopback),
      .live(prohibitedInterfaceTypes: NetworkPath.Interface.Kind.allCases),
    ] {
      var paths = monitor.networkPaths().makeAsyncIterator()
      let path = await paths.next()
      #expect(path?.status == .unsatisfied && path?.interfaces == [])
      #expect(path?.reason == .noPermittedInterface || path?.reason == .noInterface)
    }
  }
}
