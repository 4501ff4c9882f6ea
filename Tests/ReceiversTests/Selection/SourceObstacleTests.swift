// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// What is said where no fix comes though something is there.
@Suite struct SourceObstacleTests {
  @Test("a receiver that says nothing is told of once, within five seconds of opening its port")
  func tellsOfSilence() {
    var bench = SupervisorBench()
    bench.plug(.plugged("ublox"))
    bench.pass(4.4)
    #expect(bench.losses.isEmpty)
    bench.pass(60)
    #expect(bench.losses.map(\.reason) == [.silent])
    #expect(bench.losses.map(\.detail) == ["/dev/ttyACM0: receiving no data; check that the receiver is switched on"])
  }

  @Test("a gpsd that is to read the receiver and does not run is told of once")
  func tellsOfAbsentGPSD() {
    var bench = SupervisorBench()
    bench.send(.discovered(.found(.plugged("ublox")), isConfiguredForGPSD: true))
    bench.pass(60)
    #expect(bench.losses.map(\.detail) == [GPSDConfiguration.absence(of: "/dev/ttyACM0")])
  }

  @Test(
    "what comes in place of fixes is told as it is, once",
    arguments: [
      (60, 0, "receiving data but no valid NMEA; check the baud rate"),
      (
        60, 4,
        "receiving NMEA without positions; configure the receiver to send GGA, RMC or GLL"
      ),
    ] as [(UInt64, UInt64, String)])
  func tellsWhatComes(bytes: UInt64, sentences: UInt64, text: String) {
    var bench = SupervisorBench()
    bench.plug(.plugged("ublox"))
    for second in 1...20 as ClosedRange<UInt64> {
      var read = NMEACounters()
      (read.bytes, read.sentences) = (bytes * second, sentences * second)
      if let run = bench.run(of: "/dev/ttyACM0") { bench.supervisor.note(read, of: run) }
      // A sky alone is no fix.
      if sentences > 0 { bench.say(.sky(SkyView()), from: bench.run(of: "/dev/ttyACM0")) }
      bench.pass(1)
    }
    #expect(bench.losses.map(\.detail) == ["/dev/ttyACM0: \(text)"])
    bench.fix("/dev/ttyACM0", from: bench.run(of: "/dev/ttyACM0"))
    #expect(bench.supervisor.runsWithoutFix.isEmpty && bench.delivered.count == 1)
  }

  @Test(
    "a port on trial, and a modem's without a word, are told of while they are tried and after",
    arguments: [
      (.converter, "no valid NMEA yet, trying all baud rates;"),
      (.modemPort, "receiving no NMEA from the modem;"),
    ] as [(DiscoveredReceiver.Role, String)])
  func tellsOfTrials(role: DiscoveredReceiver.Role, text: String) {
    var bench = SupervisorBench()
    bench.plug(.plugged("x", role: role))
    #expect(bench.supervisor.situation.notices.count == 1)
    #expect(!bench.supervisor.situation.hadReceiver)
    #expect(
      bench.supervisor.situation.summary?.hasPrefix("/dev/ttyACM0: \(text)") == true)
    bench.pass(15)
    #expect(bench.losses.count == 1)
    #expect(bench.losses.first?.detail?.hasPrefix("/dev/ttyACM0: \(text)") == true)
    // Tried again and again, it is one and the same obstacle.
    for _ in 0..<4 {
      bench.end(bench.run(of: "/dev/ttyACM0"), SourceFailure(.notYetHealthy, "no valid sentences"))
      bench.pass(600)
    }
    #expect(bench.losses.dropFirst().map(\.detail) == ["no valid sentences"])
    #expect(bench.supervisor.situation.summary == "no valid sentences")
  }
}
