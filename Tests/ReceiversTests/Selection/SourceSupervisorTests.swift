// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// Starting and stopping of sources, and delivery of their events.
@Suite struct SourceSupervisorTests {
  private let ublox = DiscoveredReceiver.plugged("ublox")

  @Test func `a receiver is read and reported as soon as it is plugged in`() {
    var bench = SupervisorBench()
    #expect(bench.runs.isEmpty && bench.supervisor.deadline == nil)
    bench.plug(ublox)
    #expect(bench.devnodes == ["/dev/ttyACM0"])
    bench.fix("/dev/ttyACM0", from: bench.run(of: "/dev/ttyACM0"))
    #expect(bench.delivered == ["/dev/ttyACM0"])
    #expect(bench.infos.map(\.stableName) == ["ublox"])
    #expect(bench.infos.map(\.isActive) == [true])
  }

  @Test func `the status has a notice about a missing udevd only with automatic discovery`() {
    for pluggedIn in [true, false] {
      let plan = SourcePlan.serial(devnode: "/dev/pts/7", baud: nil, requiresValidation: false)
      var bench = SupervisorBench([plan], pluggedIn: pluggedIn)
      bench.send(.discovered(.unavailable(.notRunning), isConfiguredForGPSD: false))
      let notices = bench.supervisor.diagnosis.notices
      #expect(notices.contains { $0.contains("udev is not running") } == pluggedIn)
    }
  }

  @Test func `an unplugged receiver is lost once, in either order of hang-up and udev event`() {
    for hangsUpFirst in [true, false] {
      var bench = SupervisorBench()
      bench.plug(ublox)
      let run = bench.run(of: "/dev/ttyACM0")
      bench.fix("/dev/ttyACM0", from: run)
      if hangsUpFirst { bench.end(run, SourceFailure(.gone, "gone")) }
      bench.unplug(ublox)
      if !hangsUpFirst { bench.end(run, SourceFailure(.gone, "gone")) }
      #expect(bench.losses.map(\.reason) == [.deactivated])
      #expect(bench.losses.map(\.receiver) == ["/dev/ttyACM0"])
      #expect(bench.runs.isEmpty && bench.supervisor.deadline == nil)
    }
  }

  @Test func `a receiver that returns with another devnode keeps its name and is read at once`() {
    var bench = SupervisorBench()
    for turn in 0..<50 {
      let receiver = DiscoveredReceiver.plugged("ublox", devnode: "/dev/ttyACM\(turn % 3)")
      bench.plug(receiver)
      #expect(bench.devnodes == [receiver.devnode], "no back-off after replugging")
      let run = bench.run(of: receiver.devnode)
      bench.fix(receiver.devnode, from: run)
      bench.end(run, SourceFailure(.gone, "gone"))
      bench.unplug(receiver)
      bench.advance(seconds: 0.5)
    }
    #expect(bench.delivered.count == 50)
    #expect(Set(bench.infos.map(\.stableName)) == ["ublox"])
    #expect(bench.losses.count == 50)
    #expect(bench.supervisor.members.isEmpty && bench.supervisor.owners.isEmpty)
  }

  @Test func `a failing source is retried with back-off, which a healthy run resets`() {
    var bench = SupervisorBench()
    bench.plug(ublox)
    var waits: [Double] = []
    for _ in 0..<10 {
      bench.end(bench.run(of: "/dev/ttyACM0"), SourceFailure(.unreachable, "no"))
      let before = bench.seconds
      while bench.runs.isEmpty, bench.seconds < before + 100 { bench.advance(seconds: 0.05) }
      waits.append(bench.seconds - before)
    }
    #expect(waits[0] < 0.4)
    #expect(waits.max() ?? 0 <= 30.1)
    #expect(waits.last ?? 0 > 14)
    bench.fix("/dev/ttyACM0", from: bench.run(of: "/dev/ttyACM0"))
    bench.advance(seconds: 20)
    bench.end(bench.run(of: "/dev/ttyACM0"), SourceFailure(.broken, "no"))
    bench.advance(seconds: 0.4)
    #expect(bench.devnodes == ["/dev/ttyACM0"])
  }

  @Test func `a port without sentences is retried after a minute, or when it is replugged`() {
    var bench = SupervisorBench()
    let converter = DiscoveredReceiver.plugged("pl", devnode: "/dev/ttyUSB0", role: .converter)
    bench.plug(converter)
    #expect(
      bench.runs.values.map { $0 } == [
        .serial(devnode: "/dev/ttyUSB0", baud: nil, requiresValidation: true)
      ])
    #expect(bench.infos.isEmpty && !bench.supervisor.diagnosis.hadReceiver)
    bench.end(bench.run(of: "/dev/ttyUSB0"), SourceFailure(.noValidSentences, "none"))
    bench.advance(seconds: 29)
    #expect(bench.runs.isEmpty)
    bench.unplug(converter)
    bench.plug(converter)
    #expect(bench.devnodes == ["/dev/ttyUSB0"])
    #expect(bench.infos.isEmpty)
    #expect(bench.losses.allSatisfy { $0.reason == .silent && $0.receiver == nil })
  }

  @Test func `modem ports, converters, UARTs and unknown devices require validation`() {
    for role in [.modemPort, .converter, .uart, .other] as [DiscoveredReceiver.Role] {
      var bench = SupervisorBench()
      bench.plug(.plugged("x", role: role))
      #expect(
        bench.runs.values.allSatisfy {
          $0 == .serial(devnode: "/dev/ttyACM0", baud: nil, requiresValidation: true)
        })
      #expect(bench.runs.count == 1)
    }
  }

  @Test func `a candidate is not opened, and a notice names the option to use it`() {
    var bench = SupervisorBench()
    let converter = DiscoveredReceiver.plugged("pl", devnode: "/dev/ttyUSB0", role: .converter)
    bench.send(.discovered(.candidate(converter), isConfiguredForGPSD: false))
    bench.advance(seconds: 1000)
    #expect(bench.runs.isEmpty && bench.events.isEmpty)
    #expect(bench.supervisor.diagnosis.notices.first?.contains("--source serial:") == true)
    bench.unplug(converter)
    #expect(bench.supervisor.diagnosis.notices.isEmpty)
  }

  @Test func `while the better of two receivers is unplugged, the other receiver is used`() {
    var bench = SupervisorBench()
    let good = DiscoveredReceiver.plugged("good", devnode: "/dev/ttyACM0")
    let poor = DiscoveredReceiver.plugged("poor", devnode: "/dev/ttyACM1")
    bench.plug(good)
    bench.plug(poor)
    func second(_ bench: inout SupervisorBench) {
      bench.advance(seconds: 1)
      for (devnode, error) in [("/dev/ttyACM0", 3.0), ("/dev/ttyACM1", 30)] {
        let run = bench.run(of: devnode)
        bench.fix(devnode, from: run, error: error)
        bench.receive(.sky(SkyView(dilution: Dilution())), from: run)
        bench.receive(.sentences([1], source: devnode), from: run)
      }
    }
    for _ in 0..<3 { second(&bench) }
    #expect(Set(bench.delivered) == ["/dev/ttyACM0"])
    bench.unplug(good)
    second(&bench)
    #expect(bench.delivered.last == "/dev/ttyACM1")
    #expect(bench.losses.isEmpty, "another receiver is left")
    bench.plug(good)
    let before = bench.seconds
    while bench.delivered.last != "/dev/ttyACM0", bench.seconds < before + 20 { second(&bench) }
    #expect((5...7).contains(bench.seconds - before))
    var last: String?
    for event in bench.events {
      if case .fix(let fix) = event { last = fix.source }
      if case .sky(let sky) = event { #expect(sky.source == last) }
      if case .sentences(_, let source) = event { #expect(source == last) }
    }
  }

  @Test func `the chosen source is lost once, within five seconds after its last fix`() {
    var bench = SupervisorBench()
    bench.plug(ublox)
    let run = bench.run(of: "/dev/ttyACM0")
    bench.fix("/dev/ttyACM0", from: run)
    bench.advance(seconds: 4.4)
    // A sky view does not count as a fix.
    bench.receive(.sky(SkyView()), from: run)
    #expect(bench.losses.isEmpty)
    bench.advance(seconds: 0.2)
    #expect(bench.losses.map(\.reason) == [.silent])
    #expect(bench.losses.map(\.detail) == ["stopped sending fixes"])
    #expect(SourceSupervisor.silenceNanoseconds < 5_000_000_000, "timers may be late")
    bench.advance(seconds: 100)
    #expect(bench.losses.count == 1 && bench.supervisor.deadline == nil)
    bench.fix("/dev/ttyACM0", from: run)
    #expect(bench.delivered.count == 2)
  }

  @Test func `the failures of named sources are reported once, when all named sources have failed`() {
    let plans = ["/dev/a", "/dev/b"].map {
      SourcePlan.serial(devnode: $0, baud: nil, requiresValidation: false)
    }
    var bench = SupervisorBench(plans, pluggedIn: false)
    bench.end(bench.run(of: "/dev/a"), SourceFailure(.unreachable, "a: no"))
    #expect(bench.losses.isEmpty, "the other source may still deliver")
    bench.end(bench.run(of: "/dev/b"), SourceFailure(.unreachable, "b: no"))
    #expect(bench.losses.map(\.detail) == ["a: no; b: no"])
    bench.advance(seconds: 0.4)
    bench.end(bench.run(of: "/dev/a"), SourceFailure(.unreachable, "a: no"))
    #expect(bench.losses.count == 1)
  }

  @Test func `when all sources have ended, a group finishes and returns their failures`() {
    let plans = ["x.log", "y.log"].map { SourcePlan.other(key: $0, name: $0) }
    var bench = SupervisorBench(plans, pluggedIn: false)
    let numbers = bench.runs.keys.sorted()
    bench.end(numbers[0], nil)
    #expect(bench.finished == nil)
    bench.end(numbers[1], SourceFailure(.unreachable, "y: no"))
    #expect(bench.finished == ["y: no"])
    #expect(bench.supervisor.deadline == nil)
  }

  @Test func `with restartsFailedSources, a supplied source is restarted only if it fails`() {
    let plan = SourcePlan.other(key: "x.log", name: "x.log")
    var bench = SupervisorBench([plan], pluggedIn: false, restartsFailed: true)
    for count in 1...3 as ClosedRange<UInt64> {
      bench.end(bench.runs.keys.first, SourceFailure(.unreachable, "no such file"))
      #expect(bench.runs.isEmpty && bench.finished == nil)
      bench.advance(seconds: 31)
      #expect(bench.runs.count == 1 && bench.supervisor.diagnosis.restartCount == count)
    }
    #expect(bench.losses.map(\.detail) == ["no such file"])
    bench.end(bench.runs.keys.first, nil)
    #expect(bench.runs.isEmpty && bench.finished == [])
  }

  @Test func `two recordings with the same name are both read`() {
    let plans = ["/a/x.log", "/b/x.log"].map { SourcePlan.other(key: $0, name: "x.log") }
    var bench = SupervisorBench(plans, pluggedIn: false)
    #expect(bench.runs.count == 2)
    let numbers = bench.runs.keys.sorted()
    for number in numbers {
      bench.advance(seconds: 2)
      bench.fix("x.log", from: number)
    }
    #expect(bench.delivered == ["x.log", "x.log"], "the second is chosen when the first is silent")
    for number in numbers { bench.end(number, nil) }
    #expect(bench.finished == [])
  }

  @Test func `a named port has one run, and gets the stable name of the device that udev reports`() {
    let plan = SourcePlan.serial(
      devnode: "/dev/serial/by-id/ublox", baud: nil, requiresValidation: false)
    var bench = SupervisorBench([plan])
    bench.plug(ublox, isConfiguredForGPSD: true)
    #expect(bench.runs.count == 1, "a name has priority over gpsd's configuration")
    bench.end(bench.runs.keys.first, SourceFailure(.gone, "gone"))
    bench.unplug(ublox)
    bench.plug(.plugged("ublox", devnode: "/dev/ttyACM5"))
    #expect(bench.runs.count == 1)
    bench.fix("/dev/serial/by-id/ublox", from: bench.runs.keys.first)
    #expect(bench.infos.last?.stableName == "ublox")
    #expect(bench.infos.map(\.isActive) == [true, false, true])
  }

  @Test(arguments: [true, false])
  func `a receiver reported by gpsd before udev is reported again with its stable name, also if closed`(isActive: Bool)
  {
    var bench = SupervisorBench(local: true)
    bench.receive(.connected(SourceServer(address: "localhost:2947")), from: bench.gpsdRun)
    var info = ReceiverInfo(name: "/dev/ttyACM5", isActive: isActive)
    info.driver = "u-blox"
    bench.receive(.receiver(info), from: bench.gpsdRun)
    #expect(bench.infos == [info])
    bench.plug(.plugged("another", devnode: "/dev/ttyACM6"))
    bench.plug(.plugged("ublox", devnode: "/dev/ttyACM5"))
    let reported = bench.infos.filter { $0.name == "/dev/ttyACM5" }
    #expect(reported.map(\.stableName) == [nil, "ublox"])
    #expect(reported.last?.driver == "u-blox" && reported.last?.isActive == isActive)
    #expect(!bench.devnodes.contains("/dev/ttyACM5"))
    // Another udev event causes no further report.
    bench.plug(.plugged("ublox", devnode: "/dev/ttyACM5"))
    #expect(bench.infos.count { $0.name == "/dev/ttyACM5" } == 2)
  }

  @Test func `a receiver that gpsd has removed is not reported again when udev reports it`() {
    var bench = SupervisorBench(local: true)
    bench.receive(.connected(SourceServer(address: "localhost:2947")), from: bench.gpsdRun)
    let info = ReceiverInfo(name: "/dev/ttyACM5", isActive: false)
    bench.receive(.receiver(info), from: bench.gpsdRun)
    bench.receive(.lost(SourceLoss(.deactivated, receiver: info.name)), from: bench.gpsdRun)
    bench.plug(.plugged("ublox", devnode: "/dev/ttyACM5"))
    #expect(bench.infos == [info])
  }

  @Test func `a gpsd whose receivers get new devnodes repeatedly does not exceed the limit of keys`() throws {
    let address = try #require(GPSDAddress(host: "h"))
    var bench = SupervisorBench([.gpsd(address)], pluggedIn: false)
    for number in 0..<100 {
      let devnode = "/dev/ttyACM\(number)"
      bench.advance(seconds: 1)
      bench.fix(devnode, from: bench.gpsdRun)
      #expect(bench.delivered.last == devnode)
      bench.receive(.lost(SourceLoss(.deactivated, receiver: devnode)), from: bench.gpsdRun)
      bench.receive(.sky(SkyView()), from: bench.gpsdRun)
    }
    #expect(bench.losses.count == 100)
    #expect(bench.supervisor.members.values.allSatisfy { $0.keys.isEmpty })
  }

  @Test func `receivers beyond the limit are refused and counted, and read when other receivers leave`() {
    var bench = SupervisorBench()
    let receivers = (0..<19).map {
      DiscoveredReceiver.plugged("r\($0)", devnode: "/dev/ttyACM\($0)")
    }
    for receiver in receivers { bench.plug(receiver) }
    #expect(bench.runs.count == SourceSupervisor.memberLimit)
    #expect(bench.infos.map(\.name) == ["/dev/ttyACM16", "/dev/ttyACM17", "/dev/ttyACM18"])
    #expect(bench.infos.allSatisfy { !$0.isActive })
    let notices = bench.supervisor.diagnosis.notices
    #expect(notices.count == 1)
    #expect(notices[0].hasPrefix("3 more sources are not read; the limit is 16"))
    bench.unplug(receivers[16])
    #expect(bench.runs.count == 16 && bench.restartCount == 0)
    bench.unplug(receivers[3])
    #expect(bench.restartCount == 1)
    bench.send(.discoveryRestarted)
    for index in [0, 1, 2] + Array(4...15) + [17, 18] { bench.plug(receivers[index]) }
    bench.send(.discovered(.settled, isConfiguredForGPSD: false))
    #expect(bench.devnodes.contains("/dev/ttyACM17") && bench.runs.count == 16)
    #expect(bench.supervisor.diagnosis.notices.first?.hasPrefix("1 more sources") == true)
    bench.fix("/dev/ttyACM17", from: bench.run(of: "/dev/ttyACM17"))
    #expect(bench.delivered == ["/dev/ttyACM17"])
  }

  @Test func `a port that is open under another name is retried and not reported as a failure`() {
    let plans = ["/dev/a", "/dev/b"].map {
      SourcePlan.serial(devnode: $0, baud: nil, requiresValidation: false)
    }
    var bench = SupervisorBench(plans, pluggedIn: false)
    for _ in 0..<10 {
      bench.end(bench.run(of: "/dev/b"), SourceFailure(.duplicate, "b is a"))
      #expect(bench.devnodes == ["/dev/a"])
      bench.advance(seconds: 5.1)
      #expect(bench.devnodes == ["/dev/a", "/dev/b"])
    }
    #expect(bench.supervisor.diagnosis.notices.isEmpty)
    #expect(!bench.losses.contains { $0.reason == .unreachable })
  }

  @Test func `readings of instruments are delivered from every source, with the source name`() {
    var bench = SupervisorBench()
    bench.plug(ublox)
    var reading = InstrumentReading(source: nil)
    reading.waterTemperatureDegreesCelsius = 17.9
    bench.receive(.instruments(reading), from: bench.run(of: "/dev/ttyACM0"))
    #expect(bench.instruments.map(\.source) == ["/dev/ttyACM0"])
    #expect(bench.delivered.isEmpty)
  }
}
