// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// Reports about the reasons for missing fixes.
@Suite struct SourceObstacleTests {
  @Test func `a silent receiver is reported once, within five seconds after opening its port`() {
    var bench = SupervisorBench()
    bench.plug(.plugged("ublox"))
    bench.advance(seconds: 4.4)
    #expect(bench.losses.isEmpty)
    bench.advance(seconds: 60)
    #expect(bench.losses.map(\.reason) == [.silent])
    #expect(
      bench.losses.map(\.detail)
        == ["/dev/ttyACM0: receiving no data; check that the receiver is switched on"])
  }

  @Test func `a receiver that is assigned to gpsd is reported once if gpsd is not running`() {
    var bench = SupervisorBench()
    bench.send(.discovered(.found(.plugged("ublox")), isConfiguredForGPSD: true))
    bench.advance(seconds: 60)
    #expect(bench.losses.map(\.detail) == [GPSDConfiguration.absence(of: "/dev/ttyACM0")])
  }

  @Test(
    arguments: [
      (
        60, 0,
        "receiving text without NMEA, such as from a serial console or an Arduino;"
          + " use another port, or see: fixcast doctor"
      ),
      (
        60, 4,
        "receiving NMEA without positions; configure the receiver to send GGA, RMC or GLL"
      ),
    ] as [(UInt64, UInt64, String)])
  func `a port whose data yields no fix is reported once, with the kind of data received`(
    bytes: UInt64, sentences: UInt64, text: String
  ) {
    var bench = SupervisorBench()
    bench.plug(.plugged("ublox"))
    for second in 1...20 as ClosedRange<UInt64> {
      var read = NMEACounters()
      (read.bytes, read.sentences) = (bytes * second, sentences * second)
      if let run = bench.run(of: "/dev/ttyACM0") { bench.supervisor.note(read, of: run) }
      // A sky view does not count as a fix.
      if sentences > 0 { bench.receive(.sky(SkyView()), from: bench.run(of: "/dev/ttyACM0")) }
      bench.advance(seconds: 1)
    }
    #expect(bench.losses.map(\.detail) == ["/dev/ttyACM0: \(text)"])
    bench.fix("/dev/ttyACM0", from: bench.run(of: "/dev/ttyACM0"))
    #expect(bench.supervisor.runsWithoutPosition.isEmpty && bench.delivered.count == 1)
  }

  @Test func `a port whose data is not readable is reported with the baud rates to use`() {
    for baud in [nil, 4800] as [Int?] {
      var bench = SupervisorBench(
        [.serial(devnode: "/dev/a", baud: baud, requiresValidation: false)], pluggedIn: false)
      var read = NMEACounters()
      (read.bytes, read.controlBytes) = (500, 100)
      if let run = bench.run(of: "/dev/a") { bench.supervisor.note(read, of: run) }
      bench.advance(seconds: 20)
      #expect(
        bench.losses.map(\.detail) == [
          baud == nil
            ? "/dev/a: receiving data but no valid NMEA, trying all baud rates;"
              + " for a binary protocol, use gpsd as the source"
            : "/dev/a: receiving data but no valid NMEA at 4800 baud;"
              + " remove the baud rate to try all"
        ])
    }
  }

  @Test func `a port names the fault of its lines: refused content, or no checksums`() {
    func detail(_ change: (inout NMEACounters) -> Void) -> [String?] {
      var bench = SupervisorBench(
        [.serial(devnode: "/dev/a", baud: nil, requiresValidation: false)], pluggedIn: false)
      var read = NMEACounters()
      read.bytes = 500
      change(&read)
      if let run = bench.run(of: "/dev/a") { bench.supervisor.note(read, of: run) }
      bench.advance(seconds: 20)
      return bench.losses.map(\.detail)
    }
    #expect(
      detail {
        $0.refusedSentences = 9
        $0.firstRefused = "GPRMC field 1: not a time of day"
      } == [
        "/dev/a: receiving sentences with right checksums and refused content (GPRMC field 1: not a"
          + " time of day); correct the receiver's configuration, or update its firmware"
      ])
    #expect(
      detail { $0.linesWithoutChecksum = 9 } == [
        "/dev/a: receiving NMEA without checksums; if the receiver sends none, accept them:"
          + " checksum = \"optional\" below its [[source]], or --allow-missing-checksum"
      ])
    #expect(
      detail { $0.wrongChecksums = 9 } == [
        "/dev/a: receiving NMEA with wrong checksums and no right one; check the cable and its ground"
          + " wire"
      ])
    #expect(
      detail {
        $0.wrongChecksums = 2
        $0.linesWithoutChecksum = 9
      }.first??.hasPrefix("/dev/a: receiving NMEA mostly without checksums; if the") == true)
    #expect(
      detail {
        ($0.refusedSentences, $0.refusedUncheckedSentences) = (9, 9)
        $0.firstRefused = "GPRMC field 1: not a time of day"
      }.first??.hasPrefix("/dev/a: receiving sentences without checksums and with") == true)
  }

  @Test(
    arguments: [
      (.converter, "no valid NMEA yet, trying all baud rates;"),
      (.modemPort, "receiving no NMEA from the modem;"),
    ] as [(DiscoveredReceiver.Role, String)])
  func `a port without valid NMEA is reported while it is read, and after reading has failed`(
    role: DiscoveredReceiver.Role, text: String
  ) {
    var bench = SupervisorBench()
    bench.plug(.plugged("x", role: role))
    #expect(bench.supervisor.diagnosis.notices.count == 1)
    #expect(!bench.supervisor.diagnosis.hadReceiver)
    #expect(
      bench.supervisor.diagnosis.summary?.hasPrefix("/dev/ttyACM0: \(text)") == true)
    bench.advance(seconds: 15)
    #expect(bench.losses.count == 1)
    #expect(bench.losses.first?.detail?.hasPrefix("/dev/ttyACM0: \(text)") == true)
    // Repeated failures with the same text are reported once.
    for _ in 0..<4 {
      let failure = SourceFailure(.noValidSentences, "no valid sentences")
      bench.end(bench.run(of: "/dev/ttyACM0"), failure)
      bench.advance(seconds: 600)
    }
    #expect(bench.losses.dropFirst().map(\.detail) == ["no valid sentences"])
    #expect(bench.supervisor.diagnosis.summary == "no valid sentences")
  }
}
