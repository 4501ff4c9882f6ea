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
  private func fixture() -> SupervisorFixture {
    var fixture = SupervisorFixture(local: true)
    fixture.plug(ublox)
    fixture.receive(greeting, from: fixture.gpsdRun)
    fixture.receive(listed, from: fixture.gpsdRun)
    return fixture
  }

  @Test func `a gpsd that responds but sends no positions is reported once, within five seconds`() {
    var fixture = fixture()
    fixture.advance(seconds: 4.4)
    #expect(fixture.losses.isEmpty)
    #expect(fixture.diagnosis.notices.isEmpty)
    fixture.advance(seconds: 100)
    #expect(fixture.devnodes.isEmpty, "the receiver remains reserved for gpsd")
    #expect(fixture.losses.map(\.detail) == [notice])
    #expect(fixture.diagnosis.notices == [notice])
    #expect(notice.contains("gpspipe -w") && notice.contains("systemctl status gpsd"))
    #expect(notice.hasSuffix("sudo gpsdctl add /dev/ttyACM0"))
  }

  @Test func `a gpsd that sends positions is reported only after gpsd falls silent`() {
    var fixture = fixture()
    fixture.advance(seconds: 3)
    fixture.fix("/dev/ttyACM0", from: fixture.gpsdRun)
    #expect(fixture.diagnosis.notices.isEmpty)
    fixture.advance(seconds: 4)
    #expect(fixture.losses.isEmpty)
    fixture.advance(seconds: 20)
    #expect(fixture.losses.last?.detail == notice)
    #expect(fixture.diagnosis.notices == [notice])
    fixture.fix("/dev/ttyACM0", from: fixture.gpsdRun)
    #expect(fixture.diagnosis.notices.isEmpty)
  }

  @Test func `the time limit for gpsd's positions starts over when gpsd returns`() {
    var fixture = SupervisorFixture(local: true)
    fixture.plug(ublox, isConfiguredForGPSD: true)
    fixture.advance(seconds: 20)
    #expect(fixture.losses.map(\.detail) == [GPSDConfiguration.absence(of: "/dev/ttyACM0")])
    fixture.receive(greeting, from: fixture.gpsdRun)
    fixture.advance(seconds: 4.4)
    #expect(fixture.diagnosis.notices.isEmpty)
    fixture.advance(seconds: 0.2)
    #expect(fixture.losses.last?.detail == notice)
  }

  @Test func `the deadline for the notice about gpsd is always in the future`() {
    var fixture = fixture()
    for _ in 0..<50 {
      fixture.advance(seconds: 1)
      if let deadline = fixture.supervisor.deadline { #expect(deadline > fixture.now) }
    }
  }
}
