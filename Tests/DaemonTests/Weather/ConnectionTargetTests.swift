// SPDX-License-Identifier: Apache-2.0

import PathMonitorClientLive
import Testing
import WeatherClientLive

@testable import Daemon

@Suite("Destination of the path to a provider")
struct ConnectionTargetTests {
  @Test(
    arguments: [
      (.server(host: "a.example"), .internet), (.server(host: ""), .internet),
      (.server(host: "127.0.0.1"), .loopback), (.proxy(host: "localhost"), .loopback),
      (.proxy(host: "10.0.0.1"), .address([10, 0, 0, 1])),
      (.proxy(host: "proxy"), .localNetwork), (.proxy(host: "proxy.corp.example"), .localNetwork),
    ] as [(ConnectionTarget, PathDestination)])
  func `the monitored path leads to the provider or to a proxy, which may be on the local network`(
    target: ConnectionTarget, destination: PathDestination
  ) {
    #expect(PathDestination(target) == destination)
  }
}
