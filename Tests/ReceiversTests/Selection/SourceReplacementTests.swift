// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// Replacement of the requested sources in the supervisor.
@Suite struct SourceReplacementTests {
  /// A change of the requested sources and its expected effect, with one receiver plugged in.
  struct Change: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var before: [String]
    var after: [String]
    var stops: [String] = []
    var starts: [String] = []

    init(
      _ description: String, _ before: [String], _ after: [String], stops: [String] = [],
      starts: [String] = []
    ) {
      testDescription = description
      (self.before, self.after, self.stops, self.starts) = (before, after, stops, starts)
    }
  }

  private static let ublox = DiscoveredReceiver.plugged("ublox")
  private static let node = "/dev/ttyACM0"
  private static let link = "/dev/serial/by-id/ublox"
  private static let host = "gpsd:localhost:2947"

  private static let changes = [
    Change("the same port", ["/dev/a"], ["/dev/a"]),
    Change("a port added", ["/dev/a"], ["/dev/a", "/dev/b"], starts: ["/dev/b"]),
    Change("a port removed", ["/dev/a", "/dev/b"], ["/dev/a"], stops: ["/dev/b"]),
    Change("another order", ["/dev/a", "/dev/b"], ["/dev/b", "/dev/a"]),
    Change("another port", ["/dev/a"], ["/dev/b"], stops: ["/dev/a"], starts: ["/dev/b"]),
    Change(
      "another baud rate", ["/dev/a", "/dev/b"], ["/dev/a@9600", "/dev/b"], stops: ["/dev/a"],
      starts: ["/dev/a@9600"]),
    Change("a gpsd added", ["/dev/a"], ["/dev/a", "gpsd:h:1"], starts: ["gpsd:h:1"]),
    Change("a gpsd removed", ["/dev/a", "gpsd:h:1"], ["/dev/a"], stops: ["gpsd:h:1"]),
    Change("discovery added", ["/dev/a"], ["auto", "/dev/a"], starts: [host, node]),
    Change("discovery removed", ["auto", "/dev/a"], ["/dev/a"], stops: [host, node]),
    Change(
      "a discovered receiver named by its devnode", ["auto"], ["auto", node], stops: [node],
      starts: [node]),
    Change(
      "a discovered receiver named by a link", ["auto"], ["auto", link], stops: [node],
      starts: [link]),
    Change(
      "a discovered receiver named with a baud rate", ["auto"], ["auto", node + "@9600"],
      stops: [node], starts: [node + "@9600"]),
    Change(
      "discovery replaced by the receiver's name", ["auto"], [link], stops: [host, node],
      starts: [link]),
    Change(
      "discovery replaced by another port", ["auto"], ["/dev/a"], stops: [host, node],
      starts: ["/dev/a"]),
    Change(
      "a link removed beside discovery", ["auto", link], ["auto"], stops: [link], starts: [node]),
    Change("a port replaced by discovery", [node], ["auto"], stops: [node], starts: [host, node]),
    Change("a devnode replaced by a link", [node], [link], stops: [node], starts: [link]),
    Change(
      "the local gpsd replaced by discovery", [host], ["auto"], stops: [host],
      starts: [host, node]),
    Change(
      "discovery replaced by the local gpsd", ["auto"], [host], stops: [host, node],
      starts: [host]),
  ]

  private static func plans(_ texts: [String]) -> [SourcePlan] {
    texts.compactMap { text in
      if text == "auto" { return nil }
      if text.hasPrefix("gpsd:") {
        return GPSDAddress(String(text.dropFirst(5))).map(SourcePlan.gpsd)
      }
      let parts = text.split(separator: "@")
      return .serial(
        devnode: String(parts[0]), baud: parts.count > 1 ? Int(parts[1]) : nil,
        requiresValidation: false)
    }
  }

  private static func text(of plan: SourcePlan) -> String {
    if case .serial(let devnode, let baud?, _, _) = plan { return "\(devnode)@\(baud)" }
    return plan.name
  }

  private static func bench(_ texts: [String]) -> SupervisorBench {
    var bench = SupervisorBench(plans(texts), pluggedIn: texts.contains("auto"), local: true)
    bench.plug(ublox)
    bench.advance(seconds: 4)
    return bench
  }

  private static func replace(_ bench: inout SupervisorBench, _ texts: [String]) {
    bench.replace(
      plans(texts), pluggedIn: texts.contains("auto"), local: true, present: [ublox])
  }

  @Test(arguments: changes)
  func `only new sources are started, and only removed sources are stopped`(_ change: Change) {
    var bench = Self.bench(change.before)
    let before = bench.runs
    Self.replace(&bench, change.after)
    bench.advance(seconds: 4)
    let (stopped, started) = (
      before.filter { bench.runs[$0.key] == nil }, bench.runs.filter { before[$0.key] == nil }
    )
    #expect(stopped.values.map(Self.text).sorted() == change.stops.sorted())
    #expect(started.values.map(Self.text).sorted() == change.starts.sorted())
    // Fixes of stopped runs are ignored; fixes of current runs are delivered.
    for (run, plan) in stopped { bench.fix(plan.name, from: run) }
    #expect(bench.delivered.isEmpty && bench.losses.allSatisfy { $0.reason == .silent })
    for (run, plan) in bench.runs {
      let count = bench.events.count
      bench.advance(seconds: 10)
      bench.fix(plan.fixName ?? Self.node, from: run)
      #expect(bench.events[count...].contains { $0.fix != nil }, "\(plan)")
    }
    #expect(Set(bench.supervisor.owners.values) == Set(bench.supervisor.members.keys))
    // Restoring the original sources restores the original runs.
    Self.replace(&bench, change.before)
    bench.advance(seconds: 4)
    let texts = Set(
      bench.runs.values.map { $0.fixName == Self.link ? Self.node : Self.text(of: $0) })
    let first = Set(before.values.map { $0.fixName == Self.link ? Self.node : Self.text(of: $0) })
    #expect(texts == first)
  }

  @Test func `removing the chosen source reports one loss if no other source has a fix`() {
    var bench = Self.bench(["/dev/a", "/dev/b"])
    let run = bench.run(of: "/dev/a")
    bench.fix("/dev/a", from: run)
    Self.replace(&bench, ["/dev/b"])
    #expect(bench.losses.map(\.reason) == [.deactivated])
    #expect(bench.losses.map(\.receiver) == ["/dev/a"])
    #expect(bench.losses.first?.detail == SourceGroup.removalDetail)
    #expect(bench.infos.last.map { $0.name == "/dev/a" && !$0.isActive } == true)
    bench.fix("/dev/a", from: run)
    bench.receive(.lost(SourceLoss(.silent)), from: run)
    #expect(bench.delivered.count == 1 && bench.losses.count == 1)
    bench.advance(seconds: 1)
    bench.fix("/dev/b", from: bench.run(of: "/dev/b"))
    #expect(bench.delivered == ["/dev/a", "/dev/b"])
  }

  @Test func `when the chosen source is removed, the best remaining source is chosen at once`() {
    var bench = Self.bench(["/dev/a", "/dev/b", "/dev/c"])
    for (name, error) in [("/dev/a", 3.0), ("/dev/b", 5), ("/dev/c", 30)] {
      bench.advance(seconds: 0.1)
      bench.fix(name, from: bench.run(of: name), error: error)
    }
    #expect(bench.delivered == ["/dev/a"])
    Self.replace(&bench, ["/dev/c"])
    #expect(bench.delivered == ["/dev/a", "/dev/c"])
    #expect(bench.losses.isEmpty)
  }

  @Test func `after a restart of the discovery, only missing receivers are reported as removed`() {
    var bench = Self.bench(["auto"])
    let run = bench.run(of: Self.node)
    bench.fix(Self.node, from: run)
    let count = bench.events.count
    bench.send(.discoveryRestarted)
    bench.plug(Self.ublox)
    bench.send(.discovered(.settled, isConfiguredForGPSD: false))
    #expect(bench.events.count == count && bench.run(of: Self.node) == run)
    bench.send(.discoveryRestarted)
    bench.send(.discovered(.settled, isConfiguredForGPSD: false))
    #expect(bench.devnodes.isEmpty)
    #expect(bench.losses.map(\.reason) == [.deactivated])
  }

  @Test func `a candidate or receiver of gpsd is not read after its name is removed from the sources`() {
    for event in [DiscoveryEvent.candidate(Self.ublox), .found(Self.ublox)] {
      var bench = Self.bench(["auto", Self.node])
      bench.send(.replaced([], autodetects: true, local: GPSDAddress(host: "localhost")))
      bench.send(.discoveryRestarted)
      bench.send(.discovered(event, isConfiguredForGPSD: true))
      #expect(bench.devnodes.isEmpty, "\(event)")
    }
  }

  @Test func `a group finishes if only ended sources remain, and starts a new supplied source`() {
    let log = SourcePlan.other(key: "/a/x.log", name: "x.log")
    var bench = SupervisorBench([log] + Self.plans(["/dev/a"]), pluggedIn: false)
    bench.end(bench.runs.first { $0.value == log }?.key, nil)
    #expect(bench.finished == nil)
    bench.replace([log])
    #expect(bench.finished == [])
    var other = SupervisorBench([log], pluggedIn: false)
    other.replace([.other(key: "/b/x.log", name: "x.log")])
    #expect(other.runs.values.map { $0 } == [.other(key: "/b/x.log", name: "x.log")])
  }

  @Test func `the reason for missing fixes is reported again only if the sources change`() {
    var bench = SupervisorBench(Self.plans(["/dev/a@4800"]), pluggedIn: false)
    for (text, count) in [("/dev/a@4800", 1), ("/dev/a@9600", 2), ("/dev/a@9600", 2)] {
      bench.replace(Self.plans([text]))
      bench.advance(seconds: 20)
      let detail = "/dev/a: receiving no data; check that the receiver is switched on"
      #expect(bench.losses.map(\.detail) == Array(repeating: detail, count: count), "\(text)")
    }
  }

  @Test func `a port with a changed baud rate is still bound to its device`() {
    var bench = Self.bench([Self.node])
    bench.replace(Self.plans([Self.node + "@9600"]), present: [Self.ublox])
    #expect(bench.supervisor.members[Self.node]?.receiver?.name == "ublox")
    #expect(bench.devnodes == [Self.node] && bench.infos.last?.stableName == "ublox")
    bench.unplug(Self.ublox)
    #expect(bench.devnodes.isEmpty)
    bench.plug(Self.ublox)
    #expect(bench.devnodes == [Self.node])
  }

  @Test func `the notice about a candidate is removed when the discovery ignores the port or restarts`() {
    let converter = DiscoveredReceiver.plugged("x", role: .converter)
    for event in [
      SourceSupervisor.Event.discoveryRestarted,
      .discovered(.ignored(converter, .excluded), isConfiguredForGPSD: false),
    ] {
      var bench = SupervisorBench()
      bench.send(.discovered(.candidate(converter), isConfiguredForGPSD: false))
      #expect(bench.supervisor.diagnosis.notices.count == 1)
      bench.send(event)
      #expect(bench.supervisor.diagnosis.notices.isEmpty, "\(event)")
    }
  }

  @Test(.oneAtATime)
  func `after random replacements, each port has one run and all requested sources are members`() {
    let nodes = (0..<3).map { "/dev/ttyACM\($0)" }
    let receivers = (0..<3).map { DiscoveredReceiver.plugged("r\($0)", devnode: nodes[$0]) }
    let names = nodes + nodes.map { $0 + "@9600" } + ["/dev/a", "gpsd:localhost:2947", "gpsd:h:1"]
    for seed in 0..<60 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var bench = SupervisorBench(local: true)
      var plugged = Set<Int>()
      for _ in 0..<60 {
        let index = Int.random(in: 0..<3, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
          if plugged.insert(index).inserted { bench.plug(receivers[index]) }
        case 1:
          if plugged.remove(index) != nil { bench.unplug(receivers[index]) }
        case 2:
          let failure = SourceFailure(.broken, "no")
          bench.end(bench.runs.keys.sorted().randomElement(using: &generator), failure)
        case 3: bench.advance(seconds: Double.random(in: 0...8, using: &generator))
        case 4:
          for (run, plan) in bench.runs { bench.fix(plan.fixName ?? "x", from: run) }
        default:
          let texts = names.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
          // The configuration contains each port only once.
          let requested = texts.filter {
            !$0.hasSuffix("@9600") || !texts.contains(String($0.dropLast(5)))
          }
          let pluggedIn = Bool.random(using: &generator)
          bench.replace(
            Self.plans(requested), pluggedIn: pluggedIn, local: true,
            present: plugged.sorted().map { receivers[$0] })
          let named = bench.supervisor.members.values.filter(\.isNamed).map(\.plan)
          #expect(Set(named.map(Self.text)) == Set(requested), "seed \(seed)")
          if !pluggedIn {
            #expect(bench.supervisor.members.count == requested.count, "seed \(seed)")
          }
        }
        let supervisor = bench.supervisor
        #expect(Set(supervisor.owners.keys) == Set(bench.runs.keys), "seed \(seed)")
        #expect(Set(bench.devnodes).count == bench.devnodes.count, "seed \(seed)")
        #expect(
          supervisor.members.allSatisfy { $0.key == $0.value.name }
            && supervisor.owners.values.allSatisfy { supervisor.members[$0] != nil })
        if let chosen = supervisor.selector.chosen {
          let owner = supervisor.members.values.first { $0.keys.contains(chosen) }
          #expect(owner?.run != nil, "seed \(seed): the chosen source must be running")
        }
      }
    }
  }
}
