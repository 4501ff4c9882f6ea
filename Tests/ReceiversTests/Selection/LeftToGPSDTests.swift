// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// What is said of a receiver that gpsd has, while gpsd says nothing of it.
@Suite struct LeftToGPSDTests {
  private let ublox = DiscoveredReceiver.plugged("ublox")
  private let greeting = FixSourceEvent.connected(SourceServer(address: "localhost:2947"))
  private let listed = FixSourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: false))
  private let notice = GPSDConfiguration.silence(of: "/dev/ttyACM0")

  /// A supervisor that has left its one receiver to a gpsd that answers.
  private func bench() -> SupervisorBench {
    var bench = SupervisorBench(local: true)
    bench.plug(ublox)
    bench.say(greeting, from: bench.gpsdRun)
    bench.say(listed, from: bench.gpsdRun)
    return bench
  }

  @Test func `a gpsd that answers and tells nothing is told of once, within five seconds`() {
    var bench = bench()
    bench.pass(4.4)
    #expect(bench.losses.isEmpty)
    #expect(bench.supervisor.situation.notices.isEmpty)
    bench.pass(100)
    #expect(bench.devnodes.isEmpty, "it stays gpsd's")
    #expect(bench.losses.map(\.detail) == [notice])
    #expect(bench.supervisor.situation.notices == [notice])
    #expect(notice.contains("gpspipe -w") && notice.contains("systemctl status gpsd"))
    #expect(notice.hasSuffix("sudo gpsdctl add /dev/ttyACM0"))
  }

  @Test func `a gpsd that tells something is not, and again once it falls silent`() {
    var bench = bench()
    bench.pass(3)
    bench.fix("/dev/ttyACM0", from: bench.gpsdRun)
    #expect(bench.supervisor.situation.notices.isEmpty)
    bench.pass(4)
    #expect(bench.losses.isEmpty)
    bench.pass(20)
    #expect(bench.losses.last?.detail == notice)
    #expect(bench.supervisor.situation.notices == [notice])
    bench.fix("/dev/ttyACM0", from: bench.gpsdRun)
    #expect(bench.supervisor.situation.notices.isEmpty)
  }

  @Test func `a gpsd that comes back has its time anew`() {
    var bench = SupervisorBench(local: true)
    bench.plug(ublox, isConfiguredForGPSD: true)
    bench.pass(20)
    #expect(bench.losses.map(\.detail) == [GPSDConfiguration.absence(of: "/dev/ttyACM0")])
    bench.say(greeting, from: bench.gpsdRun)
    bench.pass(4.4)
    #expect(bench.supervisor.situation.notices.isEmpty)
    bench.pass(0.2)
    #expect(bench.losses.last?.detail == notice)
  }

  @Test func `its deadline never stands still in the past`() {
    var bench = bench()
    for _ in 0..<50 {
      bench.pass(1)
      if let deadline = bench.supervisor.deadline { #expect(deadline > bench.now) }
    }
  }
}
