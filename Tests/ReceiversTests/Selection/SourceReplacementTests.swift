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

    init(_ description: String, _ before: [String], _ after: [String], stops: [String] = [], starts: [String] = []) {
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
    Change("a discovered receiver named by its devnode", ["auto"], ["auto", node], stops: [node], starts: [node]),
    Change("a discovered receiver named by a link", ["auto"], ["auto", link], stops: [node], starts: [link]),
    Change(
      "a discovered receiver named with a baud rate", ["auto"], ["auto", node + "@9600"],
      stops: [node], starts: [node + "@9600"]),
    Change("discovery replaced by the receiver's name", ["auto"], [link], stops: [host, node], starts: [link]),
    Change("discovery replaced by another port", ["auto"], ["/dev/a"], stops: [host, node], starts: ["/dev/a"]),
    Change("a link removed beside discovery", ["auto", link], ["auto"], stops: [link], starts: [node]),
    Change("a port replaced by discovery", [node], ["auto"], stops: [node], starts: [host, node]),
    Change("a devnode replaced by a link", [node], [link], stops: [node], starts: [link]),
    Change("the local gpsd replaced by discovery", [host], ["auto"], stops: [host], starts: [host, node]),
    Change("discovery replaced by the local gpsd", ["auto"], [host], stops: [host, node], starts: [host]),
  ]

  private static func plans(_ texts: [String]) -> [SourcePlan] {
    texts.compactMap { text in
      if text == "auto" { return nil }
      if text.hasPrefix("gpsd:") {
        return GPSDAddress(String(text.dropFirst(5))).map(SourcePlan.gpsd)
      }
      let parts = text.split(separator: "@")
      return .serial(devnode: String(parts[0]), baud: parts.count > 1 ? Int(parts[1]) : nil, requiresValidation: false)
    }
  }

  private static func text(of plan: SourcePlan) -> String {
    if case .serial(let devnode, let baud?, _, _) = plan { return "\(devnode)@\(baud)" }
    return plan.name
  }

  private static func fixture(_ texts: [String]) -> SupervisorFixture {
    var fixture = SupervisorFixture(plans(texts), pluggedIn: texts.contains("auto"), local: true)
    fixture.plug(ublox)
    fixture.advance(seconds: 4)
    return fixture
  }

  private static func replace(_ fixture: inout SupervisorFixture, _ texts: [String]) {
    fixture.replace(plans(texts), pluggedIn: texts.contains("auto"), local: true, present: [ublox])
  }

  @Test(arguments: changes)
  func `only new sources are started, and only removed sources are stopped`(_ change: Change) {
    var fixture = Self.fixture(change.before)
    let before = fixture.runs
    Self.replace(&fixture, change.after)
    fixture.advance(seconds: 4)
    let (stopped, started) = (
      before.filter { fixture.runs[$0.key] == nil }, fixture.runs.filter { before[$0.key] == nil }
    )
    #expect(stopped.values.map(Self.text).sorted() == change.stops.sorted())
    #expect(started.values.map(Self.text).sorted() == change.starts.sorted())
    // Fixes of stopped runs are ignored; fixes of current runs are delivered.
    for (run, plan) in stopped { fixture.fix(plan.name, from: run) }
    #expect(fixture.delivered.isEmpty && fixture.losses.allSatisfy { $0.reason == .silent })
    for (run, plan) in fixture.runs {
      let count = fixture.events.count
      fixture.advance(seconds: 10)
      fixture.fix(plan.fixName ?? Self.node, from: run)
      #expect(fixture.events[count...].contains { $0.fix != nil }, "\(plan)")
    }
    #expect(fixture.supervisor.members.allSatisfy { $0.run != nil })
    // Restoring the original sources restores the original runs.
    Self.replace(&fixture, change.before)
    fixture.advance(seconds: 4)
    let texts = Set(fixture.runs.values.map { $0.fixName == Self.link ? Self.node : Self.text(of: $0) })
    let first = Set(before.values.map { $0.fixName == Self.link ? Self.node : Self.text(of: $0) })
    #expect(texts == first)
  }

  @Test func `removing the chosen source reports one loss if no other source has a fix`() {
    var fixture = Self.fixture(["/dev/a", "/dev/b"])
    let run = fixture.run(of: "/dev/a")
    fixture.fix("/dev/a", from: run)
    Self.replace(&fixture, ["/dev/b"])
    #expect(fixture.losses.map(\.reason) == [.deactivated])
    #expect(fixture.losses.map(\.receiver) == ["/dev/a"])
    #expect(fixture.losses.first?.detail == SourceGroup.removalDetail)
    #expect(fixture.infos.last.map { $0.name == "/dev/a" && !$0.isActive } == true)
    fixture.fix("/dev/a", from: run)
    fixture.receive(.lost(SourceLoss(.silent)), from: run)
    #expect(fixture.delivered.count == 1 && fixture.losses.count == 1)
    fixture.advance(seconds: 1)
    fixture.fix("/dev/b", from: fixture.run(of: "/dev/b"))
    #expect(fixture.delivered == ["/dev/a", "/dev/b"])
  }

  @Test func `when the chosen source is removed, the best remaining source is chosen at once`() {
    var fixture = Self.fixture(["/dev/a", "/dev/b", "/dev/c"])
    for (name, error) in [("/dev/a", 3.0), ("/dev/b", 5), ("/dev/c", 30)] {
      fixture.advance(seconds: 0.1)
      fixture.fix(name, from: fixture.run(of: name), error: error)
    }
    #expect(fixture.delivered == ["/dev/a"])
    Self.replace(&fixture, ["/dev/c"])
    #expect(fixture.delivered == ["/dev/a", "/dev/c"])
    #expect(fixture.losses.isEmpty)
  }

  @Test func `after a restart of the discovery, only missing receivers are reported as removed`() {
    var fixture = Self.fixture(["auto"])
    let run = fixture.run(of: Self.node)
    fixture.fix(Self.node, from: run)
    let count = fixture.events.count
    fixture.send(.discoveryRestarted)
    fixture.plug(Self.ublox)
    fixture.send(.discovered(.settled, isConfiguredForGPSD: false))
    #expect(fixture.events.count == count && fixture.run(of: Self.node) == run)
    fixture.send(.discoveryRestarted)
    fixture.send(.discovered(.settled, isConfiguredForGPSD: false))
    #expect(fixture.devnodes.isEmpty)
    #expect(fixture.losses.map(\.reason) == [.deactivated])
  }

  @Test func `a candidate or receiver of gpsd is not read after its name is removed from the sources`() {
    for event in [DiscoveryEvent.candidate(Self.ublox), .found(Self.ublox)] {
      var fixture = Self.fixture(["auto", Self.node])
      fixture.send(.replaced([], autodetects: true, local: GPSDAddress(host: "localhost")))
      fixture.send(.discoveryRestarted)
      fixture.send(.discovered(event, isConfiguredForGPSD: true))
      #expect(fixture.devnodes.isEmpty, "\(event)")
    }
  }

  @Test func `a group finishes if only ended sources remain, and starts a new supplied source`() {
    let log = SourcePlan.other(key: "/a/x.log", name: "x.log")
    var fixture = SupervisorFixture([log] + Self.plans(["/dev/a"]), pluggedIn: false)
    fixture.end(fixture.runs.first { $0.value == log }?.key, nil)
    #expect(fixture.finished == nil)
    fixture.replace([log])
    #expect(fixture.finished == [])
    var other = SupervisorFixture([log], pluggedIn: false)
    other.replace([.other(key: "/b/x.log", name: "x.log")])
    #expect(other.runs.values.map { $0 } == [.other(key: "/b/x.log", name: "x.log")])
  }

  @Test func `the reason for missing fixes is reported again only if the sources change`() {
    var fixture = SupervisorFixture(Self.plans(["/dev/a@4800"]), pluggedIn: false)
    for (text, count) in [("/dev/a@4800", 1), ("/dev/a@9600", 2), ("/dev/a@9600", 2)] {
      fixture.replace(Self.plans([text]))
      fixture.advance(seconds: 20)
      let detail = "/dev/a: receiving no data; check that the receiver is switched on"
      #expect(fixture.losses.map(\.detail) == Array(repeating: detail, count: count), "\(text)")
    }
  }

  @Test func `a port with a changed baud rate is still bound to its device`() {
    var fixture = Self.fixture([Self.node])
    fixture.replace(Self.plans([Self.node + "@9600"]), present: [Self.ublox])
    #expect(fixture.supervisor.members[Self.node]?.receiver?.name == "ublox")
    #expect(fixture.devnodes == [Self.node] && fixture.infos.last?.stableName == "ublox")
    fixture.unplug(Self.ublox)
    #expect(fixture.devnodes.isEmpty)
    fixture.plug(Self.ublox)
    #expect(fixture.devnodes == [Self.node])
  }

  @Test func `the notice about a candidate is removed when the discovery ignores the port or restarts`() {
    let converter = DiscoveredReceiver.plugged("x", role: .converter)
    for event in [
      SourceSupervisor.Event.discoveryRestarted,
      .discovered(.ignored(converter, .excluded), isConfiguredForGPSD: false),
    ] {
      var fixture = SupervisorFixture()
      fixture.send(.discovered(.candidate(converter), isConfiguredForGPSD: false))
      #expect(fixture.diagnosis.notices.count == 1)
      fixture.send(event)
      #expect(fixture.diagnosis.notices.isEmpty, "\(event)")
    }
  }

  @Test(.oneAtATime)
  func `after random replacements, each port has one run and all requested sources are members`() {
    let nodes = (0..<3).map { "/dev/ttyACM\($0)" }
    let receivers = (0..<3).map { DiscoveredReceiver.plugged("r\($0)", devnode: nodes[$0]) }
    let names = nodes + nodes.map { $0 + "@9600" } + ["/dev/a", "gpsd:localhost:2947", "gpsd:h:1"]
    for seed in 0..<60 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var fixture = SupervisorFixture(local: true)
      var plugged = Set<Int>()
      for _ in 0..<60 {
        let index = Int.random(in: 0..<3, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
          if plugged.insert(index).inserted { fixture.plug(receivers[index]) }
        case 1:
          if plugged.remove(index) != nil { fixture.unplug(receivers[index]) }
        case 2:
          let failure = SourceFailure(.disconnected, "no")
          fixture.end(fixture.runs.keys.sorted().randomElement(using: &generator), failure)
        case 3: fixture.advance(seconds: Double.random(in: 0...8, using: &generator))
        case 4:
          for (run, plan) in fixture.runs { fixture.fix(plan.fixName ?? "x", from: run) }
        default:
          let texts = names.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
          // The configuration contains each port only once.
          let requested = texts.filter {
            !$0.hasSuffix("@9600") || !texts.contains(String($0.dropLast(5)))
          }
          let pluggedIn = Bool.random(using: &generator)
          fixture.replace(
            Self.plans(requested), pluggedIn: pluggedIn, local: true,
            present: plugged.sorted().map { receivers[$0] })
          let named = fixture.supervisor.members.filter(\.isNamed).map(\.plan)
          #expect(Set(named.map(Self.text)) == Set(requested), "seed \(seed)")
          if !pluggedIn {
            #expect(fixture.supervisor.members.map(\.name).count == requested.count, "seed \(seed)")
          }
        }
        let supervisor = fixture.supervisor
        #expect(Set(supervisor.members.compactMap(\.run?.number)) == Set(fixture.runs.keys), "seed \(seed)")
        #expect(Set(fixture.devnodes).count == fixture.devnodes.count, "seed \(seed)")
        #expect(supervisor.members.allSatisfy { supervisor.members[$0.name]?.name == $0.name })
        if let chosen = supervisor.members.selector.chosen {
          let owner = supervisor.members.first { $0.owns(chosen) }
          #expect(owner?.run != nil, "seed \(seed): the chosen source must be running")
        }
      }
    }
  }
}
