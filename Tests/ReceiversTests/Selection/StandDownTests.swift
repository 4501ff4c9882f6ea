// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// Decisions whether a receiver is read through gpsd or directly.
@Suite struct StandDownTests {
  private let ublox = DiscoveredReceiver.plugged("ublox")
  private let other = DiscoveredReceiver.plugged("other", devnode: "/dev/ttyACM1")
  private let greeting = FixSourceEvent.connected(SourceServer(address: "localhost:2947"))
  private let refusal = FixSourceEvent.lost(SourceLoss(.unreachable, detail: "refused"))

  private func listed(_ devnode: String) -> FixSourceEvent {
    .receiver(ReceiverInfo(name: devnode, isActive: false))
  }

  @Test func `until gpsd has listed its devices, no port is opened; then only other ports are opened`() {
    var fixture = SupervisorFixture(local: true)
    fixture.plug(ublox)
    fixture.plug(other)
    #expect(fixture.devnodes.isEmpty)
    fixture.receive(greeting, from: fixture.gpsdRun)
    fixture.receive(listed("/dev/ttyACM0"), from: fixture.gpsdRun)
    #expect(fixture.devnodes.isEmpty)
    fixture.advance(seconds: 0.6)
    #expect(fixture.devnodes == ["/dev/ttyACM1"], "gpsd does not list this receiver")
    fixture.advance(seconds: 100)
    #expect(fixture.devnodes == ["/dev/ttyACM1"])
    fixture.fix("/dev/ttyACM0", from: fixture.gpsdRun)
    #expect(fixture.delivered == ["/dev/ttyACM0"])
    #expect(fixture.infos.last?.stableName == "ublox", "gpsd's device has its stable name, too")
  }

  @Test func `a receiver is read at once if gpsd is absent, and after three seconds if gpsd is silent`() {
    var fixture = SupervisorFixture(local: true)
    fixture.plug(ublox)
    fixture.receive(refusal, from: fixture.gpsdRun)
    #expect(fixture.devnodes == ["/dev/ttyACM0"])
    #expect(fixture.losses.isEmpty, "gpsd was not requested by name")
    var silent = SupervisorFixture(local: true)
    silent.plug(ublox)
    silent.advance(seconds: 2.9)
    #expect(silent.devnodes.isEmpty)
    silent.advance(seconds: 0.2)
    #expect(silent.devnodes == ["/dev/ttyACM0"])
  }

  @Test func `a receiver assigned to an absent gpsd is not read, and a notice shows how to start gpsd`() {
    var fixture = SupervisorFixture(local: true)
    fixture.receive(refusal, from: fixture.gpsdRun)
    fixture.plug(ublox, isConfiguredForGPSD: true)
    fixture.plug(other)
    fixture.advance(seconds: 1000)
    #expect(fixture.devnodes == ["/dev/ttyACM1"])
    let notices = fixture.diagnosis.notices
    #expect(notices.count == 1)
    #expect(notices.first?.hasPrefix("/dev/ttyACM0 is assigned to gpsd in /etc/default") == true)
    #expect(notices.first?.contains("sudo systemctl start gpsd.socket") == true)
    fixture.receive(greeting, from: fixture.gpsdRun)
    #expect(fixture.diagnosis.notices.isEmpty)
    #expect(fixture.devnodes == ["/dev/ttyACM1"])
  }

  @Test func `a port is closed at once when gpsd lists the port`() {
    var fixture = SupervisorFixture(local: true)
    fixture.receive(greeting, from: fixture.gpsdRun)
    fixture.plug(ublox)
    fixture.advance(seconds: 1)
    #expect(fixture.devnodes == ["/dev/ttyACM0"])
    fixture.fix("/dev/ttyACM0", from: fixture.run(of: "/dev/ttyACM0"))
    fixture.receive(listed("/dev/ttyACM0"), from: fixture.gpsdRun)
    #expect(fixture.devnodes.isEmpty)
    #expect(fixture.losses.map(\.reason) == [.deactivated])
  }

  @Test func `the receivers of a gpsd that disappears are read directly after five seconds`() {
    var fixture = SupervisorFixture(local: true)
    fixture.receive(greeting, from: fixture.gpsdRun)
    fixture.receive(listed("/dev/ttyACM0"), from: fixture.gpsdRun)
    fixture.plug(ublox)
    fixture.receive(.lost(SourceLoss(.disconnected)), from: fixture.gpsdRun)
    fixture.advance(seconds: 4)
    fixture.receive(greeting, from: fixture.gpsdRun)
    fixture.receive(listed("/dev/ttyACM0"), from: fixture.gpsdRun)
    fixture.advance(seconds: 20)
    #expect(fixture.devnodes.isEmpty, "gpsd returned in time")
    fixture.receive(.lost(SourceLoss(.disconnected)), from: fixture.gpsdRun)
    fixture.advance(seconds: 4.9)
    #expect(fixture.devnodes.isEmpty)
    fixture.advance(seconds: 0.2)
    #expect(fixture.devnodes == ["/dev/ttyACM0"])
  }

  @Test func `a receiver that gpsd removes from its list is read directly`() {
    var fixture = SupervisorFixture(local: true)
    fixture.receive(greeting, from: fixture.gpsdRun)
    fixture.receive(listed("/dev/ttyACM0"), from: fixture.gpsdRun)
    fixture.plug(ublox)
    fixture.receive(.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0")), from: fixture.gpsdRun)
    fixture.advance(seconds: 5.1)
    #expect(fixture.devnodes == ["/dev/ttyACM0"])
  }

  @Test func `a receiver of gpsd is lost when udev reports its removal, and late events are ignored`() {
    var fixture = SupervisorFixture(local: true)
    fixture.receive(greeting, from: fixture.gpsdRun)
    // gpsd may list the receiver by a link.
    let link = "/dev/serial/by-id/ublox"
    fixture.receive(listed(link), from: fixture.gpsdRun)
    fixture.plug(ublox)
    fixture.fix(link, from: fixture.gpsdRun)
    fixture.advance(seconds: 0.3)
    fixture.unplug(ublox)
    #expect(fixture.losses.map(\.reason) == [.deactivated])
    #expect(fixture.losses.map(\.receiver) == [link])
    #expect(fixture.supervisor.claims.devices.isEmpty)
    #expect(fixture.supervisor.members.selector.chosen == nil)
    // Late events: a fix, and gpsd's own loss of the receiver.
    fixture.fix(link, from: fixture.gpsdRun)
    fixture.receive(.lost(SourceLoss(.silent)), from: fixture.gpsdRun)
    fixture.advance(seconds: 60)
    #expect(fixture.delivered.count == 1)
    #expect(fixture.losses.count == 1)
  }

  @Test func `the removal of a silent receiver of gpsd is reported even while another receiver delivers`() {
    var fixture = SupervisorFixture(local: true)
    fixture.receive(greeting, from: fixture.gpsdRun)
    for devnode in ["/dev/ttyACM0", "/dev/ttyACM1"] {
      fixture.receive(listed(devnode), from: fixture.gpsdRun)
    }
    fixture.plug(ublox)
    fixture.plug(other)
    fixture.fix("/dev/ttyACM1", from: fixture.gpsdRun)
    let count = fixture.infos.count
    fixture.unplug(ublox)
    let new = fixture.infos.dropFirst(count)
    #expect(new.map(\.name) == ["/dev/ttyACM0"])
    #expect(new.map(\.isActive) == [false])
    #expect(new.map(\.stableName) == ["ublox"])
    #expect(fixture.losses.isEmpty, "the other receiver still delivers")
    #expect(fixture.supervisor.claims.devices == ["/dev/ttyACM1"])
  }

  @Test func `a replugged receiver of gpsd is read directly if gpsd does not reopen it in five seconds`() {
    for opensAgain in [true, false] {
      var fixture = SupervisorFixture(local: true)
      fixture.receive(greeting, from: fixture.gpsdRun)
      fixture.receive(listed("/dev/ttyACM0"), from: fixture.gpsdRun)
      fixture.plug(ublox)
      fixture.advance(seconds: 60)
      fixture.unplug(ublox)
      fixture.advance(seconds: 1)
      fixture.plug(ublox)
      fixture.advance(seconds: 2)
      // gpsd may deliver fixes without announcing the receiver.
      if opensAgain { fixture.fix("/dev/ttyACM0", from: fixture.gpsdRun) }
      fixture.advance(seconds: 2.9)
      #expect(fixture.devnodes.isEmpty)
      fixture.advance(seconds: 0.2)
      #expect(fixture.devnodes == (opensAgain ? [] : ["/dev/ttyACM0"]))
      #expect(fixture.delivered.count == (opensAgain ? 1 : 0))
    }
  }
}
