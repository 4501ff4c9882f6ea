// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import MQTTClient
import SystemSupport
import Testing

@testable import FleetSimulator

@Suite(
  "Simulated fleet and mosquitto", .timeLimit(.minutes(5)),
  .enabled(if: access("/usr/sbin/mosquitto", X_OK) == 0, "needs mosquitto: make test-deps"))
struct FleetSimulatorTests {
  @Test(arguments: [nil, 5] as [UInt64?])
  func `100 boards with faults lose no fix`(seed: UInt64?) async throws {
    let folder = try ScratchFolder()
    let reserved = try ReservedPort()
    try folder.write(
      "mosquitto.conf",
      """
      user root
      allow_anonymous true
      listener \(reserved.number) 127.0.0.1

      """)
    try await ChildProcess.use(
      path: "/usr/sbin/mosquitto", arguments: ["-v", "-c", folder.path + "/mosquitto.conf"]
    ) { broker in
      await broker.lines.wait { lines in lines.contains { $0.hasSuffix(" running") } }
      let address = try #require(BrokerAddress("mqtt://127.0.0.1:\(reserved.number)"))
      var options = FleetSimulatorOptions(
        brokers: [address], boardCount: 100, seconds: 3, hertz: 10)
      options.batchFixes = 2
      options.hasConsumer = false
      options.faultSeed = seed
      let report = try await FleetSimulator.run(options)
      #expect(report.boardCount == 100 && report.madeCount == 3000 && report.lostCount == 0)
      #expect((report.cutCount + report.killedCount > 0) == (seed != nil))
      #expect(report.connectionCount >= 100 && report.publishedCount >= 100)
      #expect(report.latency(quantile: 0.99) != nil)
    }
  }

  @Test func `boards connect over TLS with a user and a password`() async throws {
    let folder = try ScratchFolder()
    try await SecureBroker.use(folder) { port in
      let address = try #require(BrokerAddress("mqtts://localhost:\(port)"))
      var options = FleetSimulatorOptions(brokers: [address], boardCount: 10, seconds: 1, hertz: 10)
      (options.hasConsumer, options.batchFixes) = (false, 5)
      (options.username, options.password) = ("fleet", "zebra")
      options.tls = try MQTTTLS(caFile: folder.path + "/server.pem").context()
      let report = try await FleetSimulator.run(options)
      #expect(report.madeCount == 100 && report.lostCount == 0, "\(report)")
    }
  }
}
