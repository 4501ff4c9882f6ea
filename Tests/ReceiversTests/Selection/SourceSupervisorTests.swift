// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// Starting and stopping of sources, and delivery of their events.
@Suite struct SourceSupervisorTests {
  private let ublox = DiscoveredReceiver.plugged("ublox")

  @Test func `a receiver is read and reported as soon as it is plugged in`() {
    var fixture = SupervisorFixture()
    #expect(fixture.runs.isEmpty && fixture.supervisor.deadline == nil)
    fixture.plug(ublox)
    #expect(fixture.devnodes == ["/dev/ttyACM0"])
    fixture.fix("/dev/ttyACM0", from: fixture.run(of: "/dev/ttyACM0"))
    #expect(fixture.delivered == ["/dev/ttyACM0"])
    #expect(fixture.infos.map(\.stableName) == ["ublox"])
    #expect(fixture.infos.map(\.isActive) == [true])
  }

  @Test func `the status has a notice about a missing udevd only with automatic discovery`() {
    for pluggedIn in [true, false] {
      let plan = SourcePlan.serial(devnode: "/dev/pts/7", baud: nil, requiresValidation: false)
      var fixture = SupervisorFixture([plan], pluggedIn: pluggedIn)
      fixture.send(.discovered(.unavailable(.notRunning), isConfiguredForGPSD: false))
      let notices = fixture.diagnosis.notices
      #expect(notices.contains { $0.contains("udev is not running") } == pluggedIn)
    }
  }

  @Test func `an unplugged receiver is lost once, in either order of hang-up and udev event`() {
    for hangsUpFirst in [true, false] {
      var fixture = SupervisorFixture()
      fixture.plug(ublox)
      let run = fixture.run(of: "/dev/ttyACM0")
      fixture.fix("/dev/ttyACM0", from: run)
      if hangsUpFirst { fixture.end(run, SourceFailure(.deactivated, "gone")) }
      fixture.unplug(ublox)
      if !hangsUpFirst { fixture.end(run, SourceFailure(.deactivated, "gone")) }
      #expect(fixture.losses.map(\.reason) == [.deactivated])
      #expect(fixture.losses.map(\.receiver) == ["/dev/ttyACM0"])
      #expect(fixture.runs.isEmpty && fixture.supervisor.deadline == nil)
    }
  }

  @Test func `a receiver that returns with another devnode keeps its name and is read at once`() {
    var fixture = SupervisorFixture()
    for turn in 0..<50 {
      let receiver = DiscoveredReceiver.plugged("ublox", devnode: "/dev/ttyACM\(turn % 3)")
      fixture.plug(receiver)
      #expect(fixture.devnodes == [receiver.devnode], "no back-off after replugging")
      let run = fixture.run(of: receiver.devnode)
      fixture.fix(receiver.devnode, from: run)
      fixture.end(run, SourceFailure(.deactivated, "gone"))
      fixture.unplug(receiver)
      fixture.advance(seconds: 0.5)
    }
    #expect(fixture.delivered.count == 50)
    #expect(Set(fixture.infos.map(\.stableName)) == ["ublox"])
    #expect(fixture.losses.count == 50)
    #expect(fixture.supervisor.members.map(\.name).isEmpty)
  }

  @Test func `a source that was removed and is added again is retried after the first delay`() {
    let plan = SourcePlan.serial(devnode: "/dev/a", baud: nil, requiresValidation: false)
    var fixture = SupervisorFixture([plan], pluggedIn: false)
    for _ in 0..<6 {
      fixture.end(fixture.run(of: "/dev/a"), SourceFailure(.unreachable, "no"))
      fixture.advance(seconds: 40)
    }
    fixture.replace([])
    fixture.replace([plan])
    fixture.end(fixture.run(of: "/dev/a"), SourceFailure(.unreachable, "no"))
    fixture.advance(seconds: 0.5)
    #expect(fixture.devnodes == ["/dev/a"])
  }

  @Test func `a failing source is retried with back-off, which a healthy run resets`() {
    var fixture = SupervisorFixture()
    fixture.plug(ublox)
    var waits: [Double] = []
    for _ in 0..<10 {
      fixture.end(fixture.run(of: "/dev/ttyACM0"), SourceFailure(.unreachable, "no"))
      let before = fixture.seconds
      while fixture.runs.isEmpty, fixture.seconds < before + 100 { fixture.advance(seconds: 0.05) }
      waits.append(fixture.seconds - before)
    }
    #expect(waits[0] < 0.4)
    #expect(waits.max() ?? 0 <= 30.1)
    #expect(waits.last ?? 0 > 14)
    fixture.fix("/dev/ttyACM0", from: fixture.run(of: "/dev/ttyACM0"))
    fixture.advance(seconds: 20)
    fixture.end(fixture.run(of: "/dev/ttyACM0"), SourceFailure(.disconnected, "no"))
    fixture.advance(seconds: 0.4)
    #expect(fixture.devnodes == ["/dev/ttyACM0"])
  }

  @Test func `a port without sentences is retried after a minute, or when it is replugged`() {
    var fixture = SupervisorFixture()
    let converter = DiscoveredReceiver.plugged("pl", devnode: "/dev/ttyUSB0", role: .converter)
    fixture.plug(converter)
    #expect(fixture.runs.values.map { $0 } == [.serial(devnode: "/dev/ttyUSB0", baud: nil, requiresValidation: true)])
    #expect(fixture.infos.isEmpty && !fixture.diagnosis.hadReceiver)
    fixture.end(fixture.run(of: "/dev/ttyUSB0"), SourceFailure(.silent, "none"))
    fixture.advance(seconds: 29)
    #expect(fixture.runs.isEmpty)
    fixture.unplug(converter)
    fixture.plug(converter)
    #expect(fixture.devnodes == ["/dev/ttyUSB0"])
    #expect(fixture.infos.isEmpty)
    #expect(fixture.losses.allSatisfy { $0.reason == .silent && $0.receiver == nil })
  }

  @Test func `modem ports, converters, UARTs and unknown devices require validation`() {
    for role in [.modemPort, .converter, .uart, .other] as [DiscoveredReceiver.Role] {
      var fixture = SupervisorFixture()
      fixture.plug(.plugged("x", role: role))
      #expect(
        fixture.runs.values.allSatisfy {
          $0 == .serial(devnode: "/dev/ttyACM0", baud: nil, requiresValidation: true)
        })
      #expect(fixture.runs.count == 1)
    }
  }

  @Test func `a candidate is not opened, and a notice names the option to use it`() {
    var fixture = SupervisorFixture()
    let converter = DiscoveredReceiver.plugged("pl", devnode: "/dev/ttyUSB0", role: .converter)
    fixture.send(.discovered(.candidate(converter), isConfiguredForGPSD: false))
    fixture.advance(seconds: 1000)
    #expect(fixture.runs.isEmpty && fixture.events.isEmpty)
    #expect(fixture.diagnosis.notices.first?.contains("--source serial:") == true)
    fixture.unplug(converter)
    #expect(fixture.diagnosis.notices.isEmpty)
  }

  @Test func `while the better of two receivers is unplugged, the other receiver is used`() {
    var fixture = SupervisorFixture()
    let good = DiscoveredReceiver.plugged("good", devnode: "/dev/ttyACM0")
    let poor = DiscoveredReceiver.plugged("poor", devnode: "/dev/ttyACM1")
    fixture.plug(good)
    fixture.plug(poor)
    func second(_ fixture: inout SupervisorFixture) {
      fixture.advance(seconds: 1)
      for (devnode, error) in [("/dev/ttyACM0", 3.0), ("/dev/ttyACM1", 30)] {
        let run = fixture.run(of: devnode)
        fixture.fix(devnode, from: run, error: error)
        fixture.receive(.sky(SkyView(dilution: Dilution())), from: run)
        fixture.receive(.sentences([1], source: devnode), from: run)
      }
    }
    for _ in 0..<3 { second(&fixture) }
    #expect(Set(fixture.delivered) == ["/dev/ttyACM0"])
    fixture.unplug(good)
    second(&fixture)
    #expect(fixture.delivered.last == "/dev/ttyACM1")
    #expect(fixture.losses.isEmpty, "another receiver is left")
    fixture.plug(good)
    let before = fixture.seconds
    while fixture.delivered.last != "/dev/ttyACM0", fixture.seconds < before + 20 { second(&fixture) }
    #expect((5...7).contains(fixture.seconds - before))
    var last: String?
    for event in fixture.events {
      if case .fix(let fix) = event { last = fix.source }
      if case .sky(let sky) = event { #expect(sky.source == last) }
      if case .sentences(_, let source) = event { #expect(source == last) }
    }
  }

  @Test func `the chosen source is lost once, within five seconds after its last fix`() {
    var fixture = SupervisorFixture()
    fixture.plug(ublox)
    let run = fixture.run(of: "/dev/ttyACM0")
    fixture.fix("/dev/ttyACM0", from: run)
    fixture.advance(seconds: 4.4)
    // A sky view does not count as a fix.
    fixture.receive(.sky(SkyView()), from: run)
    #expect(fixture.losses.isEmpty)
    fixture.advance(seconds: 0.2)
    #expect(fixture.losses.map(\.reason) == [.silent])
    #expect(fixture.losses.map(\.detail) == ["stopped sending fixes"])
    #expect(SourceNotices.silenceNanoseconds < 5_000_000_000, "timers may be late")
    fixture.advance(seconds: 100)
    #expect(fixture.losses.count == 1 && fixture.supervisor.deadline == nil)
    fixture.fix("/dev/ttyACM0", from: run)
    #expect(fixture.delivered.count == 2)
  }

  @Test func `the failures of named sources are reported once, when all named sources have failed`() {
    let plans = ["/dev/a", "/dev/b"].map {
      SourcePlan.serial(devnode: $0, baud: nil, requiresValidation: false)
    }
    var fixture = SupervisorFixture(plans, pluggedIn: false)
    fixture.end(fixture.run(of: "/dev/a"), SourceFailure(.unreachable, "a: no"))
    #expect(fixture.losses.isEmpty, "the other source may still deliver")
    fixture.end(fixture.run(of: "/dev/b"), SourceFailure(.unreachable, "b: no"))
    #expect(fixture.losses.map(\.detail) == ["a: no; b: no"])
    fixture.advance(seconds: 0.4)
    fixture.end(fixture.run(of: "/dev/a"), SourceFailure(.unreachable, "a: no"))
    #expect(fixture.losses.count == 1)
  }

  @Test func `when all sources have ended, a group finishes and returns their failures`() {
    let plans = ["x.log", "y.log"].map { SourcePlan.other(key: $0, name: $0) }
    var fixture = SupervisorFixture(plans, pluggedIn: false)
    let numbers = fixture.runs.keys.sorted()
    fixture.end(numbers[0], nil)
    #expect(fixture.finished == nil)
    fixture.end(numbers[1], SourceFailure(.unreachable, "y: no"))
    #expect(fixture.finished == ["y: no"])
    #expect(fixture.supervisor.deadline == nil)
  }

  @Test func `with restartsFailedSources, a supplied source is restarted only if it fails`() {
    let plan = SourcePlan.other(key: "x.log", name: "x.log")
    var fixture = SupervisorFixture([plan], pluggedIn: false, restartsFailed: true)
    for count in 1...3 as ClosedRange<UInt64> {
      fixture.end(fixture.runs.keys.first, SourceFailure(.unreachable, "no such file"))
      #expect(fixture.runs.isEmpty && fixture.finished == nil)
      fixture.advance(seconds: 31)
      #expect(fixture.runs.count == 1 && fixture.diagnosis.restartCount == count)
    }
    #expect(fixture.losses.map(\.detail) == ["no such file"])
    fixture.end(fixture.runs.keys.first, nil)
    #expect(fixture.runs.isEmpty && fixture.finished == [])
  }

  @Test func `two recordings with the same name are both read`() {
    let plans = ["/a/x.log", "/b/x.log"].map { SourcePlan.other(key: $0, name: "x.log") }
    var fixture = SupervisorFixture(plans, pluggedIn: false)
    #expect(fixture.runs.count == 2)
    let numbers = fixture.runs.keys.sorted()
    for number in numbers {
      fixture.advance(seconds: 2)
      fixture.fix("x.log", from: number)
    }
    #expect(fixture.delivered == ["x.log", "x.log"], "the second is chosen when the first is silent")
    for number in numbers { fixture.end(number, nil) }
    #expect(fixture.finished == [])
  }

  @Test func `a named port has one run, and gets the stable name of the device that udev reports`() {
    let plan = SourcePlan.serial(devnode: "/dev/serial/by-id/ublox", baud: nil, requiresValidation: false)
    var fixture = SupervisorFixture([plan])
    fixture.plug(ublox, isConfiguredForGPSD: true)
    #expect(fixture.runs.count == 1, "a name has priority over gpsd's configuration")
    fixture.end(fixture.runs.keys.first, SourceFailure(.deactivated, "gone"))
    fixture.unplug(ublox)
    fixture.plug(.plugged("ublox", devnode: "/dev/ttyACM5"))
    #expect(fixture.runs.count == 1)
    fixture.fix("/dev/serial/by-id/ublox", from: fixture.runs.keys.first)
    #expect(fixture.infos.last?.stableName == "ublox")
    #expect(fixture.infos.map(\.isActive) == [true, false, true])
  }

  @Test(arguments: [true, false])
  func `a receiver reported by gpsd before udev is reported again with its stable name, also if closed`(isActive: Bool)
  {
    var fixture = SupervisorFixture(local: true)
    fixture.receive(.connected(SourceServer(address: "localhost:2947")), from: fixture.gpsdRun)
    var info = ReceiverInfo(name: "/dev/ttyACM5", isActive: isActive)
    info.driver = "u-blox"
    fixture.receive(.receiver(info), from: fixture.gpsdRun)
    #expect(fixture.infos == [info])
    fixture.plug(.plugged("another", devnode: "/dev/ttyACM6"))
    fixture.plug(.plugged("ublox", devnode: "/dev/ttyACM5"))
    let reported = fixture.infos.filter { $0.name == "/dev/ttyACM5" }
    #expect(reported.map(\.stableName) == [nil, "ublox"])
    #expect(reported.last?.driver == "u-blox" && reported.last?.isActive == isActive)
    #expect(!fixture.devnodes.contains("/dev/ttyACM5"))
    // Another udev event causes no further report.
    fixture.plug(.plugged("ublox", devnode: "/dev/ttyACM5"))
    #expect(fixture.infos.count { $0.name == "/dev/ttyACM5" } == 2)
  }

  @Test func `a receiver that gpsd has removed is not reported again when udev reports it`() {
    var fixture = SupervisorFixture(local: true)
    fixture.receive(.connected(SourceServer(address: "localhost:2947")), from: fixture.gpsdRun)
    let info = ReceiverInfo(name: "/dev/ttyACM5", isActive: false)
    fixture.receive(.receiver(info), from: fixture.gpsdRun)
    fixture.receive(.lost(SourceLoss(.deactivated, receiver: info.name)), from: fixture.gpsdRun)
    fixture.plug(.plugged("ublox", devnode: "/dev/ttyACM5"))
    #expect(fixture.infos == [info])
  }

  @Test func `a gpsd whose receivers get new devnodes repeatedly does not exceed the limit of keys`() throws {
    let address = try #require(GPSDAddress(host: "h"))
    var fixture = SupervisorFixture([.gpsd(address)], pluggedIn: false)
    for number in 0..<100 {
      let devnode = "/dev/ttyACM\(number)"
      fixture.advance(seconds: 1)
      fixture.fix(devnode, from: fixture.gpsdRun)
      #expect(fixture.delivered.last == devnode)
      fixture.receive(.lost(SourceLoss(.deactivated, receiver: devnode)), from: fixture.gpsdRun)
      fixture.receive(.sky(SkyView()), from: fixture.gpsdRun)
    }
    #expect(fixture.losses.count == 100)
    #expect(fixture.supervisor.members.selector.names.isEmpty)
  }

  @Test func `receivers beyond the limit are refused and counted, and read when other receivers leave`() {
    var fixture = SupervisorFixture()
    let receivers = (0..<19).map {
      DiscoveredReceiver.plugged("r\($0)", devnode: "/dev/ttyACM\($0)")
    }
    for receiver in receivers { fixture.plug(receiver) }
    #expect(fixture.runs.count == SourceMembers.limit)
    #expect(fixture.infos.map(\.name) == ["/dev/ttyACM16", "/dev/ttyACM17", "/dev/ttyACM18"])
    #expect(fixture.infos.allSatisfy { !$0.isActive })
    let notices = fixture.diagnosis.notices
    #expect(notices.count == 1)
    #expect(notices[0].hasPrefix("3 more sources are not read; the limit is 16"))
    fixture.unplug(receivers[16])
    #expect(fixture.runs.count == 16 && fixture.restartCount == 0)
    fixture.unplug(receivers[3])
    #expect(fixture.restartCount == 1)
    fixture.send(.discoveryRestarted)
    for index in [0, 1, 2] + Array(4...15) + [17, 18] { fixture.plug(receivers[index]) }
    fixture.send(.discovered(.settled, isConfiguredForGPSD: false))
    #expect(fixture.devnodes.contains("/dev/ttyACM17") && fixture.runs.count == 16)
    #expect(fixture.diagnosis.notices.first?.hasPrefix("1 more sources") == true)
    fixture.fix("/dev/ttyACM17", from: fixture.run(of: "/dev/ttyACM17"))
    #expect(fixture.delivered == ["/dev/ttyACM17"])
  }

  @Test func `a port that is open under another name is retried and not reported as a failure`() {
    let plans = ["/dev/a", "/dev/b"].map {
      SourcePlan.serial(devnode: $0, baud: nil, requiresValidation: false)
    }
    var fixture = SupervisorFixture(plans, pluggedIn: false)
    for _ in 0..<10 {
      fixture.end(fixture.run(of: "/dev/b"), SourceFailure(.unreachable, "b is a", isDuplicate: true))
      #expect(fixture.devnodes == ["/dev/a"])
      fixture.advance(seconds: 5.1)
      #expect(fixture.devnodes == ["/dev/a", "/dev/b"])
    }
    #expect(fixture.diagnosis.notices.isEmpty)
    #expect(!fixture.losses.contains { $0.reason == .unreachable })
  }

  @Test func `readings of instruments are delivered from every source, with the source name`() {
    var fixture = SupervisorFixture()
    fixture.plug(ublox)
    var reading = InstrumentReading(source: nil)
    reading.waterTemperatureDegreesCelsius = 17.9
    fixture.receive(.instruments(reading), from: fixture.run(of: "/dev/ttyACM0"))
    #expect(fixture.instruments.map(\.source) == ["/dev/ttyACM0"])
    #expect(fixture.delivered.isEmpty)
  }
}
