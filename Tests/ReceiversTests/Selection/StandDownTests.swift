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
    var bench = SupervisorBench(local: true)
    bench.plug(ublox)
    bench.plug(other)
    #expect(bench.devnodes.isEmpty)
    bench.receive(greeting, from: bench.gpsdRun)
    bench.receive(listed("/dev/ttyACM0"), from: bench.gpsdRun)
    #expect(bench.devnodes.isEmpty)
    bench.advance(seconds: 0.6)
    #expect(bench.devnodes == ["/dev/ttyACM1"], "gpsd does not list this receiver")
    bench.advance(seconds: 100)
    #expect(bench.devnodes == ["/dev/ttyACM1"])
    bench.fix("/dev/ttyACM0", from: bench.gpsdRun)
    #expect(bench.delivered == ["/dev/ttyACM0"])
    #expect(bench.infos.last?.stableName == "ublox", "gpsd's device has its stable name, too")
  }

  @Test func `a receiver is read at once if gpsd is absent, and after three seconds if gpsd is silent`() {
    var bench = SupervisorBench(local: true)
    bench.plug(ublox)
    bench.receive(refusal, from: bench.gpsdRun)
    #expect(bench.devnodes == ["/dev/ttyACM0"])
    #expect(bench.losses.isEmpty, "gpsd was not requested by name")
    var silent = SupervisorBench(local: true)
    silent.plug(ublox)
    silent.advance(seconds: 2.9)
    #expect(silent.devnodes.isEmpty)
    silent.advance(seconds: 0.2)
    #expect(silent.devnodes == ["/dev/ttyACM0"])
  }

  @Test func `a receiver assigned to an absent gpsd is not read, and a notice shows how to start gpsd`() {
    var bench = SupervisorBench(local: true)
    bench.receive(refusal, from: bench.gpsdRun)
    bench.plug(ublox, isConfiguredForGPSD: true)
    bench.plug(other)
    bench.advance(seconds: 1000)
    #expect(bench.devnodes == ["/dev/ttyACM1"])
    let notices = bench.supervisor.diagnosis.notices
    #expect(notices.count == 1)
    #expect(notices.first?.hasPrefix("/dev/ttyACM0 is assigned to gpsd in /etc/default") == true)
    #expect(notices.first?.contains("sudo systemctl start gpsd.socket") == true)
    bench.receive(greeting, from: bench.gpsdRun)
    #expect(bench.supervisor.diagnosis.notices.isEmpty)
    #expect(bench.devnodes == ["/dev/ttyACM1"])
  }

  @Test func `a port is closed at once when gpsd lists the port`() {
    var bench = SupervisorBench(local: true)
    bench.receive(greeting, from: bench.gpsdRun)
    bench.plug(ublox)
    bench.advance(seconds: 1)
    #expect(bench.devnodes == ["/dev/ttyACM0"])
    bench.fix("/dev/ttyACM0", from: bench.run(of: "/dev/ttyACM0"))
    bench.receive(listed("/dev/ttyACM0"), from: bench.gpsdRun)
    #expect(bench.devnodes.isEmpty)
    #expect(bench.losses.map(\.reason) == [.deactivated])
  }

  @Test func `the receivers of a gpsd that disappears are read directly after five seconds`() {
    var bench = SupervisorBench(local: true)
    bench.receive(greeting, from: bench.gpsdRun)
    bench.receive(listed("/dev/ttyACM0"), from: bench.gpsdRun)
    bench.plug(ublox)
    bench.receive(.lost(SourceLoss(.disconnected)), from: bench.gpsdRun)
    bench.advance(seconds: 4)
    bench.receive(greeting, from: bench.gpsdRun)
    bench.receive(listed("/dev/ttyACM0"), from: bench.gpsdRun)
    bench.advance(seconds: 20)
    #expect(bench.devnodes.isEmpty, "gpsd returned in time")
    bench.receive(.lost(SourceLoss(.disconnected)), from: bench.gpsdRun)
    bench.advance(seconds: 4.9)
    #expect(bench.devnodes.isEmpty)
    bench.advance(seconds: 0.2)
    #expect(bench.devnodes == ["/dev/ttyACM0"])
  }

  @Test func `a receiver that gpsd removes from its list is read directly`() {
    var bench = SupervisorBench(local: true)
    bench.receive(greeting, from: bench.gpsdRun)
    bench.receive(listed("/dev/ttyACM0"), from: bench.gpsdRun)
    bench.plug(ublox)
    bench.receive(.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0")), from: bench.gpsdRun)
    bench.advance(seconds: 5.1)
    #expect(bench.devnodes == ["/dev/ttyACM0"])
  }

  @Test func `a receiver of gpsd is lost when udev reports its removal, and late events are ignored`() {
    var bench = SupervisorBench(local: true)
    bench.receive(greeting, from: bench.gpsdRun)
    // gpsd may list the receiver by a link.
    let link = "/dev/serial/by-id/ublox"
    bench.receive(listed(link), from: bench.gpsdRun)
    bench.plug(ublox)
    bench.fix(link, from: bench.gpsdRun)
    bench.advance(seconds: 0.3)
    bench.unplug(ublox)
    #expect(bench.losses.map(\.reason) == [.deactivated])
    #expect(bench.losses.map(\.receiver) == [link])
    #expect(bench.supervisor.gpsd.devices.isEmpty)
    #expect(bench.supervisor.selector.chosen == nil)
    // Late events: a fix, and gpsd's own loss of the receiver.
    bench.fix(link, from: bench.gpsdRun)
    bench.receive(.lost(SourceLoss(.silent)), from: bench.gpsdRun)
    bench.advance(seconds: 60)
    #expect(bench.delivered.count == 1)
    #expect(bench.losses.count == 1)
  }

  @Test func `the removal of a silent receiver of gpsd is reported even while another receiver delivers`() {
    var bench = SupervisorBench(local: true)
    bench.receive(greeting, from: bench.gpsdRun)
    for devnode in ["/dev/ttyACM0", "/dev/ttyACM1"] {
      bench.receive(listed(devnode), from: bench.gpsdRun)
    }
    bench.plug(ublox)
    bench.plug(other)
    bench.fix("/dev/ttyACM1", from: bench.gpsdRun)
    let count = bench.infos.count
    bench.unplug(ublox)
    let new = bench.infos.dropFirst(count)
    #expect(new.map(\.name) == ["/dev/ttyACM0"])
    #expect(new.map(\.isActive) == [false])
    #expect(new.map(\.stableName) == ["ublox"])
    #expect(bench.losses.isEmpty, "the other receiver still delivers")
    #expect(bench.supervisor.gpsd.devices == ["/dev/ttyACM1"])
  }

  @Test func `a replugged receiver of gpsd is read directly if gpsd does not reopen it in five seconds`() {
    for opensAgain in [true, false] {
      var bench = SupervisorBench(local: true)
      bench.receive(greeting, from: bench.gpsdRun)
      bench.receive(listed("/dev/ttyACM0"), from: bench.gpsdRun)
      bench.plug(ublox)
      bench.advance(seconds: 60)
      bench.unplug(ublox)
      bench.advance(seconds: 1)
      bench.plug(ublox)
      bench.advance(seconds: 2)
      // gpsd may deliver fixes without announcing the receiver.
      if opensAgain { bench.fix("/dev/ttyACM0", from: bench.gpsdRun) }
      bench.advance(seconds: 2.9)
      #expect(bench.devnodes.isEmpty)
      bench.advance(seconds: 0.2)
      #expect(bench.devnodes == (opensAgain ? [] : ["/dev/ttyACM0"]))
      #expect(bench.delivered.count == (opensAgain ? 1 : 0))
    }
  }
}
