// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Synchronization
import Testing
import WeatherFeature

@Suite("Reachability gate", .timeLimit(.minutes(1)))
struct ReachabilityGateTests {
  typealias Action = ReachabilityGate.Action

  static let there = NetworkPath(status: .satisfied)
  static let lost = NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)

  private func location(_ latitude: Double) -> Location { Location(coordinate: .at(latitude, 0)) }

  private func held(_ reason: String, _ count: Int) -> Action {
    .report(GateEvent(gate: "reachability", verdict: .holds(reason: reason), heldCount: count))
  }

  private func passed(_ count: Int) -> Action {
    .report(GateEvent(gate: "reachability", verdict: .passes, heldCount: count))
  }

  @Test("passes while the path is satisfied")
  func passes() {
    var gate = ReachabilityGate()
    #expect(gate.handle(.path(Self.there)) == [])
    #expect(gate.handle(.location(location(1))) == [.pass(location(1))])
    #expect(gate.handle(.path(Self.there)) == [])
  }

  @Test("holds before the path is known, and says so")
  func unknown() {
    var gate = ReachabilityGate()
    #expect(gate.handle(.location(location(1))) == [held("pathUnknown", 1)])
    #expect(gate.handle(.path(Self.there)) == [passed(1), .pass(location(1))])
  }

  @Test("keeps the newest only, counts, and releases it once")
  func holds() {
    var gate = ReachabilityGate()
    _ = gate.handle(.path(Self.there))
    #expect(gate.handle(.path(Self.lost)) == [])
    #expect(gate.handle(.location(location(1))) == [held("noDefaultRoute", 1)])
    #expect(gate.handle(.location(location(2))) == [])
    #expect(gate.handle(.location(location(3))) == [])
    #expect(gate.handle(.path(Self.there)) == [passed(3), .pass(location(3))])
    #expect(gate.handle(.path(Self.there)) == [])
    #expect(gate.held == nil && gate.heldCount == 0)
  }

  @Test("waits for the delay before it releases, and takes the newest then")
  func delays() {
    var gate = ReachabilityGate(delaysRelease: true)
    _ = gate.handle(.location(location(1)))
    #expect(gate.handle(.path(Self.there)) == [.startDelay(1)])
    #expect(gate.handle(.location(location(2))) == [])
    #expect(gate.handle(.delayOver(1)) == [passed(2), .pass(location(2))])
    #expect(gate.handle(.delayOver(1)) == [])
  }

  @Test("a delay that a new loss has overtaken releases nothing")
  func overtaken() {
    var gate = ReachabilityGate(delaysRelease: true)
    _ = gate.handle(.location(location(1)))
    _ = gate.handle(.path(Self.there))
    #expect(gate.handle(.path(Self.lost)) == [held("noDefaultRoute", 1)])
    #expect(gate.handle(.delayOver(1)) == [])
    #expect(gate.handle(.path(Self.there)) == [.startDelay(2)])
    #expect(gate.handle(.delayOver(1)) == [])
    #expect(gate.handle(.delayOver(2)) == [passed(1), .pass(location(1))])
  }

  @Test(
    "never passes while unsatisfied and never loses the newest, under 10,000 random sequences",
    arguments: [false, true])
  func property(delays: Bool) {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<10_000 {
      var gate = ReachabilityGate(delaysRelease: delays)
      var isSatisfied = false
      var newest: Location?
      var lastPassed: Location?
      var pendingDelay: UInt64?
      for step in 1...20 {
        let event: ReachabilityGate.Event =
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: .path(Self.there)
          case 1: .path(Self.lost)
          case 2: pendingDelay.map { .delayOver($0) } ?? .delayOver(999)
          default: .location(location(Double(step)))
          }
        if case .path(let path) = event { isSatisfied = path.isSatisfied }
        if case .location(let location) = event { newest = location }
        var passes = 0
        for action in gate.handle(event) {
          switch action {
          case .pass(let location):
            passes += 1
            lastPassed = location
            #expect(isSatisfied && location == newest)
          case .startDelay(let number): pendingDelay = number
          case .report: break
          }
        }
        #expect(passes <= 1)
        #expect(gate.held == nil || gate.held == newest)
        #expect(newest == nil || gate.held == newest || lastPassed == newest)
      }
    }
  }

  @Test("run over a monitor, holds and releases after its delay")
  func runner() async {
    let clock = ManualClock()
    let monitor = PathMonitorClient.scripted(
      [(.zero, Self.lost), (.seconds(3), Self.there)], clock: clock)
    let runner = ReachabilityGateRunner(
      monitor: monitor, releaseDelay: { .seconds(7) }, clock: clock)
    let (input, offer) = AsyncStream.makeStream(of: Location.self)
    let (passed, pass) = AsyncStream.makeStream(of: Location.self)
    let (reports, report) = AsyncStream.makeStream(of: (any PipelineEvent).self)
    async let run: Void = runner.run(
      input, pass: { pass.yield($0) }, report: { report.yield($0) })
    var reported = reports.makeAsyncIterator()
    #expect((await reported.next() as? PathEvent)?.path == Self.lost)
    offer.yield(location(1))
    #expect((await reported.next() as? GateEvent)?.verdict == .holds(reason: "noDefaultRoute"))
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(3))
    #expect((await reported.next() as? PathEvent)?.path == Self.there)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(7))
    var passes = passed.makeAsyncIterator()
    #expect(await passes.next() == location(1))
    offer.finish()
    await run
  }

  @Test("run to the end of its input, tells how many it holds at last")
  func last() async {
    let (input, offer) = AsyncStream.makeStream(of: Location.self)
    for latitude in 1...5 { offer.yield(location(Double(latitude))) }
    offer.finish()
    let counts = Mutex<[Int]>([])
    await ReachabilityGateRunner(monitor: .constant(Self.lost)).run(
      input, pass: { _ in Issue.record("passed while unsatisfied") },
      report: { event in
        if let event = event as? GateEvent { counts.withLock { $0.append(event.heldCount) } }
      })
    #expect(counts.withLock { $0.last } == 5)
  }
}
