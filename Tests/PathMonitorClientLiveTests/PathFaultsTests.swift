// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Testing

@testable import PathMonitorClientLive

/// What a board on a cable goes through, done to a board of the test's own.
@Suite(
  "Path monitor on a board in trouble", .enabled(if: Lab.isPermitted, Lab.needs),
  .timeLimit(.minutes(1)))
struct PathFaultsTests {
  @Test("follows the cable from nothing to a way out")
  func comingUp() async {
    let lab = Lab()
    await lab.expect(.unsatisfied, .noInterface)
    lab.board.lay("wan0", to: "isp0", in: lab.isp)
    lab.board.ip("link set wan0 up")
    await lab.expect(.unsatisfied, .noCarrier)
    lab.isp.ip("link set isp0 up")
    await lab.expect(.unsatisfied, .noAddress)
    lab.board.ip("addr add 198.51.100.2/24 dev wan0")
    await lab.expect(.unsatisfied, .noDefaultRoute)
    lab.board.ip("route add default via 198.51.100.1")
    await lab.expect(.satisfied, via: ["wan0"])
  }

  @Test("admin down takes the IPv4 routes silently, and up does not bring them back")
  func adminDown() async {
    let lab = Lab()
    lab.connect()
    await lab.expect(.satisfied)
    lab.board.ip("link set wan0 down")
    await lab.expect(.unsatisfied, .noInterface)
    lab.board.ip("link set wan0 up")
    await lab.expect(.unsatisfied, .noDefaultRoute)
    lab.board.ip("route add default via 198.51.100.1")
    await lab.expect(.satisfied)
  }

  @Test("carrier loss leaves the route, but not the path, and its return brings the path back")
  func carrier() async {
    let lab = Lab()
    lab.connect()
    await lab.expect(.satisfied)
    lab.isp.ip("link set isp0 down")
    await lab.expect(.unsatisfied, .noCarrier, via: ["wan0"])
    lab.isp.ip("link set isp0 up")
    await lab.expect(.satisfied)
  }

  @Test("a default route that is deleted and added")
  func route() async {
    let lab = Lab()
    lab.connect()
    await lab.expect(.satisfied)
    lab.board.ip("route del default")
    await lab.expect(.unsatisfied, .noDefaultRoute)
    lab.board.ip("route add default via 198.51.100.1")
    await lab.expect(.satisfied)
  }

  @Test("an address that is deleted takes the route with it, silently")
  func address() async {
    let lab = Lab()
    // Without IPv6 there is no link-local address to be left.
    lab.board.lay("wan0", to: "isp0", in: lab.isp)
    lab.board.ip("link set wan0 addrgenmode none")
    lab.isp.ip("link set isp0 up")
    lab.board.ip("addr add 198.51.100.2/24 dev wan0")
    lab.board.ip("link set wan0 up")
    lab.board.ip("route add default via 198.51.100.1")
    await lab.expect(.satisfied)
    lab.board.ip("addr del 198.51.100.2/24 dev wan0")
    await lab.expect(.unsatisfied, .noAddress)
  }

  @Test("addresses that reach no further than the link, and an interface that is deleted")
  func linkLocal() async {
    let lab = Lab()
    lab.connect(addresses: false, route: false)
    lab.board.ip("addr add 169.254.7.7/16 dev wan0")
    await lab.expect(.unsatisfied, .linkLocalOnly)
    lab.board.ip("link del wan0")
    await lab.expect(.unsatisfied, .noInterface)
  }

  @Test("a second default route with a better metric is preferred, and its loss survived")
  func secondRoute() async {
    let lab = Lab()
    lab.connect(route: false)
    lab.board.ip("route add default via 198.51.100.1 metric 100")
    await lab.expect(.satisfied, via: ["wan0"])
    lab.board.lay("wan1", to: "isp1", in: lab.isp)
    lab.isp.ip("link set isp1 up")
    lab.board.ip("addr add 192.0.2.2/24 dev wan1")
    lab.board.ip("link set wan1 up")
    lab.board.ip("route add default via 192.0.2.1 metric 50")
    await lab.expect(.satisfied, via: ["wan1", "wan0"])
    lab.isp.ip("link set isp1 down")
    await lab.expect(.satisfied, via: ["wan0"])
  }

  @Test("IPv6 alone is a way out")
  func onlyIPv6() async throws {
    let lab = Lab()
    lab.connect(addresses: false, route: false)
    lab.board.ip("addr add 2001:db8::2/64 dev wan0 nodad")
    lab.board.ip("-6 route add default via 2001:db8::1")
    var path: NetworkPath?
    repeat { path = await lab.next() } while path?.isSatisfied == false
    #expect(path?.supportsIPv6 == true && path?.supportsIPv4 == false)
    lab.board.ip("-6 route del default")
    await lab.expect(.unsatisfied, .noDefaultRoute)
  }

  @Test("what happens behind the cable is no matter of the path: the request has to tell")
  func upstream() async {
    let lab = Lab(timing: PathWatch.Timing(hold: 0, backstop: 100_000_000))
    lab.connect()
    await lab.expect(.satisfied)
    lab.isp.ip("route add blackhole 198.51.100.2/32")
    _ = await lab.reads.wait(for: lab.reads.events.count + 2)
    // The next thing that it says is the next thing that happens to the board.
    lab.board.ip("route del default")
    #expect(await lab.next()?.reason == .noDefaultRoute)
  }

  @Test("a provider on the local network needs a route to it, and no default route")
  func destination() async {
    let lab = Lab(to: .address([198, 51, 100, 9]))
    await lab.expect(.unsatisfied, .noInterface)
    lab.connect(route: false)
    await lab.expect(.satisfied, via: ["wan0"])
    lab.isp.ip("link set isp0 down")
    await lab.expect(.unsatisfied, .noCarrier)
    lab.isp.ip("link set isp0 up")
    await lab.expect(.satisfied)
    lab.board.ip("addr flush dev wan0 scope global")
    await lab.expect(.unsatisfied, .linkLocalOnly)
  }

  @Test("a return is told after it has lasted, a loss at once")
  func hold() async {
    let lab = Lab(timing: PathWatch.Timing(hold: 300_000_000))
    lab.connect()
    await lab.expect(.satisfied)
    let clock = ContinuousClock()
    let lost = clock.now
    lab.board.ip("route del default")
    await lab.expect(.unsatisfied, .noDefaultRoute)
    #expect(clock.now - lost < .milliseconds(250))
    let back = clock.now
    lab.board.ip("route add default via 198.51.100.1")
    await lab.expect(.satisfied)
    #expect(clock.now - back >= .milliseconds(300))
  }

  @Test(
    "a loss is published within 250 ms of the kernel's telling it",
    arguments: ["link set wan0 down", "route del default", "link del wan0", "carrier"])
  func latency(fault: String) async throws {
    let lab = Lab()
    lab.connect()
    await lab.expect(.satisfied)
    let begin = ContinuousClock.now
    if fault == "carrier" { lab.isp.ip("link set isp0 down") } else { lab.board.ip(fault) }
    #expect(await lab.next()?.isSatisfied == false)
    let published = ContinuousClock.now
    let told = try #require(lab.messages.events.first { $0 >= begin })
    #expect(published - told <= .milliseconds(250))
    print("\(fault): told after \(told - begin), published \(published - told) later")
  }
}
