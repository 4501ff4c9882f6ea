// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// Reports about the reasons for missing fixes.
@Suite struct SourceObstacleTests {
  @Test func `a silent receiver is reported once, within five seconds after opening its port`() {
    var fixture = SupervisorFixture()
    fixture.plug(.plugged("ublox"))
    fixture.advance(seconds: 4.4)
    #expect(fixture.losses.isEmpty)
    fixture.advance(seconds: 60)
    #expect(fixture.losses.map(\.reason) == [.silent])
    #expect(fixture.losses.map(\.detail) == ["/dev/ttyACM0: receiving no data; check that the receiver is switched on"])
  }

  @Test func `a receiver that is assigned to gpsd is reported once if gpsd is not running`() {
    var fixture = SupervisorFixture()
    fixture.send(.discovered(.found(.plugged("ublox")), isConfiguredForGPSD: true))
    fixture.advance(seconds: 60)
    #expect(fixture.losses.map(\.detail) == [GPSDConfiguration.absence(of: "/dev/ttyACM0")])
  }

  @Test(
    arguments: [
      (
        60, 0,
        "receiving text without NMEA, such as from a serial console or an Arduino;"
          + " use another port, or see: fixcast doctor"
      ),
      (60, 4, "receiving NMEA without positions; configure the receiver to send GGA, RMC or GLL"),
    ] as [(UInt64, UInt64, String)])
  func `a port whose data yields no fix is reported once, with the kind of data received`(
    bytes: UInt64, sentences: UInt64, text: String
  ) {
    var fixture = SupervisorFixture()
    fixture.plug(.plugged("ublox"))
    for second in 1...20 as ClosedRange<UInt64> {
      var read = NMEACounters()
      (read.bytes, read.sentences) = (bytes * second, sentences * second)
      if let run = fixture.run(of: "/dev/ttyACM0") { fixture.supervisor.note(read, of: run) }
      // A sky view does not count as a fix.
      if sentences > 0 { fixture.receive(.sky(SkyView()), from: fixture.run(of: "/dev/ttyACM0")) }
      fixture.advance(seconds: 1)
    }
    #expect(fixture.losses.map(\.detail) == ["/dev/ttyACM0: \(text)"])
    fixture.fix("/dev/ttyACM0", from: fixture.run(of: "/dev/ttyACM0"))
    #expect(fixture.supervisor.members.portsWithoutPosition.isEmpty && fixture.delivered.count == 1)
  }

  @Test func `a port whose data is not readable is reported with the baud rates to use`() {
    for baud in [nil, 4800] as [Int?] {
      var fixture = SupervisorFixture(
        [.serial(devnode: "/dev/a", baud: baud, requiresValidation: false)], pluggedIn: false)
      var read = NMEACounters()
      (read.bytes, read.controlBytes) = (500, 100)
      if let run = fixture.run(of: "/dev/a") { fixture.supervisor.note(read, of: run) }
      fixture.advance(seconds: 20)
      #expect(
        fixture.losses.map(\.detail) == [
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
      var fixture = SupervisorFixture(
        [.serial(devnode: "/dev/a", baud: nil, requiresValidation: false)], pluggedIn: false)
      var read = NMEACounters()
      read.bytes = 500
      change(&read)
      if let run = fixture.run(of: "/dev/a") { fixture.supervisor.note(read, of: run) }
      fixture.advance(seconds: 20)
      return fixture.losses.map(\.detail)
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

  @Test func `a receiver that returns with another devnode is reported with a name that does not change`() {
    var fixture = SupervisorFixture(
      [.serial(devnode: "/dev/ttyUSB0", baud: nil, requiresValidation: false)], pluggedIn: false)
    func notice() -> String? { fixture.diagnosis.notices.first }
    let before = DiscoveredReceiver.plugged("x", devnode: "/dev/ttyUSB0", role: .converter)
    let after = DiscoveredReceiver.plugged("x", devnode: "/dev/ttyUSB1", role: .converter)
    fixture.plug(before)
    fixture.unplug(before)
    #expect(notice() == "/dev/ttyUSB0: unplugged; plug it in again")
    let other = DiscoveredReceiver.plugged("y", devnode: "/dev/ttyUSB2", role: .converter)
    fixture.send(.discovered(.candidate(other), isConfiguredForGPSD: false))
    #expect(notice() == "/dev/ttyUSB0: unplugged; plug it in again")
    fixture.send(.discovered(.candidate(after), isConfiguredForGPSD: false))
    #expect(
      notice()
        == "the receiver that was /dev/ttyUSB0 is now /dev/ttyUSB1; name it by a link"
        + " that does not change: /dev/serial/by-id/x")
    fixture.unplug(after)
    fixture.plug(before)
    #expect(notice()?.hasPrefix("/dev/ttyUSB2 may be a receiver;") == true)
  }

  @Test func `a receiver without a link that returns with another devnode is reported with that devnode`() {
    var fixture = SupervisorFixture(
      [.serial(devnode: "/dev/ttyUSB0", baud: nil, requiresValidation: false)], pluggedIn: false)
    func receiver(_ devnode: String) -> DiscoveredReceiver {
      DiscoveredReceiver(
        name: "usb-1-2-if00", role: .converter, model: nil,
        device: .usb(.pl2303, devnode: devnode, port: "1-2", hasLinks: false))
    }
    fixture.plug(receiver("/dev/ttyUSB0"))
    fixture.unplug(receiver("/dev/ttyUSB0"))
    fixture.send(.discovered(.candidate(receiver("/dev/ttyUSB1")), isConfiguredForGPSD: false))
    #expect(
      fixture.diagnosis.notices.first
        == "the receiver that was /dev/ttyUSB0 is now /dev/ttyUSB1; name /dev/ttyUSB1")
  }

  @Test(
    arguments: [
      (.converter, "no valid NMEA yet, trying all baud rates;"),
      (.modemPort, "receiving no NMEA from the modem;"),
    ] as [(DiscoveredReceiver.Role, String)])
  func `a port without valid NMEA is reported while it is read, and after reading has failed`(
    role: DiscoveredReceiver.Role, text: String
  ) {
    var fixture = SupervisorFixture()
    fixture.plug(.plugged("x", role: role))
    #expect(fixture.diagnosis.notices.count == 1)
    #expect(!fixture.diagnosis.hadReceiver)
    #expect(fixture.diagnosis.summary?.hasPrefix("/dev/ttyACM0: \(text)") == true)
    fixture.advance(seconds: 15)
    #expect(fixture.losses.count == 1)
    #expect(fixture.losses.first?.detail?.hasPrefix("/dev/ttyACM0: \(text)") == true)
    // Repeated failures with the same text are reported once.
    for _ in 0..<4 {
      let failure = SourceFailure(.silent, "no valid sentences")
      fixture.end(fixture.run(of: "/dev/ttyACM0"), failure)
      fixture.advance(seconds: 600)
    }
    #expect(fixture.losses.dropFirst().map(\.detail) == ["no valid sentences"])
    #expect(fixture.diagnosis.summary == "no valid sentences")
  }
}
