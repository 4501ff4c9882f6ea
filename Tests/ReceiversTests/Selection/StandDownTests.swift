// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// What is left to gpsd, and what is read beside it.
@Suite struct StandDownTests {
  private let ublox = DiscoveredReceiver.plugged("ublox")
  private let other = DiscoveredReceiver.plugged("other", devnode: "/dev/ttyACM1")
  private let greeting = FixSourceEvent.connected(SourceServer(address: "localhost:2947"))
  private let refusal = FixSourceEvent.lost(SourceLoss(.unreachable, detail: "refused"))

  private func listed(_ devnode: String) -> FixSourceEvent {
    .receiver(ReceiverInfo(name: devnode, isActive: false))
  }

  @Test("nothing is opened before it is known what gpsd has, and what it lists is left to it")
  func waitsForGPSD() {
    var bench = SupervisorBench(local: true)
    bench.plug(ublox)
    bench.plug(other)
    #expect(bench.devnodes.isEmpty)
    bench.say(greeting, from: bench.gpsdRun)
    bench.say(listed("/dev/ttyACM0"), from: bench.gpsdRun)
    #expect(bench.devnodes.isEmpty)
    bench.pass(0.6)
    #expect(bench.devnodes == ["/dev/ttyACM1"], "what gpsd does not claim is read directly")
    bench.pass(100)
    #expect(bench.devnodes == ["/dev/ttyACM1"])
    bench.fix("/dev/ttyACM0", from: bench.gpsdRun)
    #expect(bench.delivered == ["/dev/ttyACM0"])
    #expect(bench.infos.last?.stableName == "ublox", "gpsd's device has its name too")
  }

  @Test(
    "where nobody answers, a receiver is read at once; where nothing is said, after three seconds")
  func readsWithoutGPSD() {
    var bench = SupervisorBench(local: true)
    bench.plug(ublox)
    bench.say(refusal, from: bench.gpsdRun)
    #expect(bench.devnodes == ["/dev/ttyACM0"])
    #expect(bench.losses.isEmpty, "nobody had asked for gpsd")
    var mute = SupervisorBench(local: true)
    mute.plug(ublox)
    mute.pass(2.9)
    #expect(mute.devnodes.isEmpty)
    mute.pass(0.2)
    #expect(mute.devnodes == ["/dev/ttyACM0"])
  }

  @Test(
    "what gpsd is configured for is left to it though it does not run, with the command to start it"
  )
  func leavesConfigured() {
    var bench = SupervisorBench(local: true)
    bench.say(refusal, from: bench.gpsdRun)
    bench.plug(ublox, isConfiguredForGPSD: true)
    bench.plug(other)
    bench.pass(1000)
    #expect(bench.devnodes == ["/dev/ttyACM1"])
    let notices = bench.supervisor.situation.notices
    #expect(notices.count == 1)
    #expect(notices.first?.contains("/dev/ttyACM0 is assigned to gpsd in /etc/default/gpsd") == true)
    #expect(notices.first?.contains("sudo systemctl start gpsd.socket") == true)
    bench.say(greeting, from: bench.gpsdRun)
    #expect(bench.supervisor.situation.notices.isEmpty)
    #expect(bench.devnodes == ["/dev/ttyACM1"])
  }

  @Test("a port that gpsd takes while it is read is let go at once")
  func letsGo() {
    var bench = SupervisorBench(local: true)
    bench.say(greeting, from: bench.gpsdRun)
    bench.plug(ublox)
    bench.pass(1)
    #expect(bench.devnodes == ["/dev/ttyACM0"])
    bench.fix("/dev/ttyACM0", from: bench.run(of: "/dev/ttyACM0"))
    bench.say(listed("/dev/ttyACM0"), from: bench.gpsdRun)
    #expect(bench.devnodes.isEmpty)
    #expect(bench.losses.map(\.reason) == [.deactivated])
  }

  @Test("a gpsd that went has five seconds to come back, until its receivers are read without it")
  func takesBack() {
    var bench = SupervisorBench(local: true)
    bench.say(greeting, from: bench.gpsdRun)
    bench.say(listed("/dev/ttyACM0"), from: bench.gpsdRun)
    bench.plug(ublox)
    bench.say(.lost(SourceLoss(.disconnected)), from: bench.gpsdRun)
    bench.pass(4)
    bench.say(greeting, from: bench.gpsdRun)
    bench.say(listed("/dev/ttyACM0"), from: bench.gpsdRun)
    bench.pass(20)
    #expect(bench.devnodes.isEmpty, "it came back")
    bench.say(.lost(SourceLoss(.disconnected)), from: bench.gpsdRun)
    bench.pass(4.9)
    #expect(bench.devnodes.isEmpty)
    bench.pass(0.2)
    #expect(bench.devnodes == ["/dev/ttyACM0"])
  }

  @Test("a receiver that gpsd gives up for good is read directly")
  func takesOverGivenUp() {
    var bench = SupervisorBench(local: true)
    bench.say(greeting, from: bench.gpsdRun)
    bench.say(listed("/dev/ttyACM0"), from: bench.gpsdRun)
    bench.plug(ublox)
    bench.say(.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0")), from: bench.gpsdRun)
    bench.pass(5.1)
    #expect(bench.devnodes == ["/dev/ttyACM0"])
  }

  @Test("a receiver behind gpsd is lost as soon as udev says so, whatever gpsd still says of it")
  func losesUnplugged() {
    var bench = SupervisorBench(local: true)
    bench.say(greeting, from: bench.gpsdRun)
    // gpsd may know it by any of its names.
    let link = "/dev/serial/by-id/ublox"
    bench.say(listed(link), from: bench.gpsdRun)
    bench.plug(ublox)
    bench.fix(link, from: bench.gpsdRun)
    bench.pass(0.3)
    bench.unplug(ublox)
    #expect(bench.losses.map(\.reason) == [.deactivated])
    #expect(bench.losses.map(\.receiver) == [link])
    #expect(bench.supervisor.gpsd.devices.isEmpty)
    #expect(bench.supervisor.selector.chosen == nil)
    // What was on its way, and what gpsd notices by itself in time.
    bench.fix(link, from: bench.gpsdRun)
    bench.say(.lost(SourceLoss(.silent)), from: bench.gpsdRun)
    bench.pass(60)
    #expect(bench.delivered.count == 1)
    #expect(bench.losses.count == 1)
  }

  @Test("one that gpsd lists and that never spoke is told to be gone, while another talks")
  func tellsOfMuteUnplugged() {
    var bench = SupervisorBench(local: true)
    bench.say(greeting, from: bench.gpsdRun)
    for devnode in ["/dev/ttyACM0", "/dev/ttyACM1"] {
      bench.say(listed(devnode), from: bench.gpsdRun)
    }
    bench.plug(ublox)
    bench.plug(other)
    bench.fix("/dev/ttyACM1", from: bench.gpsdRun)
    let told = bench.infos.count
    bench.unplug(ublox)
    let news = bench.infos.dropFirst(told)
    #expect(news.map(\.name) == ["/dev/ttyACM0"])
    #expect(news.map(\.isActive) == [false])
    #expect(news.map(\.stableName) == ["ublox"])
    #expect(bench.losses.isEmpty, "the other goes on")
    #expect(bench.supervisor.gpsd.devices == ["/dev/ttyACM1"])
  }

  @Test(
    "one that is put back is left to the gpsd that had it, and read directly after five seconds")
  func leavesReturned() {
    for opensAgain in [true, false] {
      var bench = SupervisorBench(local: true)
      bench.say(greeting, from: bench.gpsdRun)
      bench.say(listed("/dev/ttyACM0"), from: bench.gpsdRun)
      bench.plug(ublox)
      bench.pass(60)
      bench.unplug(ublox)
      bench.pass(1)
      bench.plug(ublox)
      bench.pass(2)
      // It says nothing of it but what comes from it.
      if opensAgain { bench.fix("/dev/ttyACM0", from: bench.gpsdRun) }
      bench.pass(2.9)
      #expect(bench.devnodes.isEmpty)
      bench.pass(0.2)
      #expect(bench.devnodes == (opensAgain ? [] : ["/dev/ttyACM0"]))
      #expect(bench.delivered.count == (opensAgain ? 1 : 0))
    }
  }
}
