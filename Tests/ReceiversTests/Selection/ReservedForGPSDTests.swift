// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Notices about a receiver that only gpsd may read, while gpsd sends no positions.
@Suite struct ReservedForGPSDTests {
  private let ublox = DiscoveredReceiver.plugged("ublox")
  private let greeting = FixSourceEvent.connected(SourceServer(address: "localhost:2947"))
  private let listed = FixSourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: false))
  private let notice = GPSDConfiguration.silence(of: "/dev/ttyACM0")

  /// Makes a supervisor whose only receiver is reserved for a responsive gpsd.
  private func bench() -> SupervisorBench {
    var bench = SupervisorBench(local: true)
    bench.plug(ublox)
    bench.receive(greeting, from: bench.gpsdRun)
    bench.receive(listed, from: bench.gpsdRun)
    return bench
  }

  @Test func `a gpsd that responds but sends no positions is reported once, within five seconds`() {
    var bench = bench()
    bench.advance(seconds: 4.4)
    #expect(bench.losses.isEmpty)
    #expect(bench.supervisor.diagnosis.notices.isEmpty)
    bench.advance(seconds: 100)
    #expect(bench.devnodes.isEmpty, "the receiver remains reserved for gpsd")
    #expect(bench.losses.map(\.detail) == [notice])
    #expect(bench.supervisor.diagnosis.notices == [notice])
    #expect(notice.contains("gpspipe -w") && notice.contains("systemctl status gpsd"))
    #expect(notice.hasSuffix("sudo gpsdctl add /dev/ttyACM0"))
  }

  @Test func `a gpsd that sends positions is reported only after gpsd falls silent`() {
    var bench = bench()
    bench.advance(seconds: 3)
    bench.fix("/dev/ttyACM0", from: bench.gpsdRun)
    #expect(bench.supervisor.diagnosis.notices.isEmpty)
    bench.advance(seconds: 4)
    #expect(bench.losses.isEmpty)
    bench.advance(seconds: 20)
    #expect(bench.losses.last?.detail == notice)
    #expect(bench.supervisor.diagnosis.notices == [notice])
    bench.fix("/dev/ttyACM0", from: bench.gpsdRun)
    #expect(bench.supervisor.diagnosis.notices.isEmpty)
  }

  @Test func `the time limit for gpsd's positions starts over when gpsd returns`() {
    var bench = SupervisorBench(local: true)
    bench.plug(ublox, isConfiguredForGPSD: true)
    bench.advance(seconds: 20)
    #expect(bench.losses.map(\.detail) == [GPSDConfiguration.absence(of: "/dev/ttyACM0")])
    bench.receive(greeting, from: bench.gpsdRun)
    bench.advance(seconds: 4.4)
    #expect(bench.supervisor.diagnosis.notices.isEmpty)
    bench.advance(seconds: 0.2)
    #expect(bench.losses.last?.detail == notice)
  }

  @Test func `the deadline for the notice about gpsd is always in the future`() {
    var bench = bench()
    for _ in 0..<50 {
      bench.advance(seconds: 1)
      if let deadline = bench.supervisor.deadline { #expect(deadline > bench.now) }
    }
  }
}
