// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import PathMonitorClient
import Pipeline
import Positioning
import Synchronization
import Testing
import WeatherFeature

@Suite("Reachability gate", .timeLimit(.minutes(5)))
struct ReachabilityGateTests {
  typealias Action = ReachabilityGate.Action

  static let connected = NetworkPath(status: .satisfied)
  static let expensive: NetworkPath = {
    var path = NetworkPath(status: .satisfied)
    path.isExpensive = true
    return path
  }()
  static let constrained: NetworkPath = {
    var path = NetworkPath(status: .satisfied)
    path.isConstrained = true
    return path
  }()
  static let disconnected = NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)

  private func holdReport(_ reason: String, _ count: Int) -> Action {
    .report(GateEvent(gate: "reachability", verdict: .holds(reason: reason), heldCount: count))
  }

  private func passReport(_ count: Int) -> Action {
    .report(GateEvent(gate: "reachability", verdict: .passes, heldCount: count))
  }

  @Test func `the reachability gate passes locations while the path is satisfied`() {
    var gate = ReachabilityGate()
    #expect(gate.handle(.path(Self.connected)) == [])
    #expect(gate.handle(.location(.at(1))) == [.pass(.at(1))])
    #expect(gate.handle(.path(Self.connected)) == [])
  }

  @Test func `the gate holds locations with the reason pathUnknown until the first path arrives`() {
    var gate = ReachabilityGate()
    #expect(gate.handle(.location(.at(1))) == [holdReport("pathUnknown", 1)])
    #expect(gate.handle(.path(Self.connected)) == [passReport(1), .pass(.at(1))])
  }

  @Test func `the gate counts all held locations, and releases only the newest location, once`() {
    var gate = ReachabilityGate()
    _ = gate.handle(.path(Self.connected))
    #expect(gate.handle(.path(Self.disconnected)) == [])
    #expect(gate.handle(.location(.at(1))) == [holdReport("noDefaultRoute", 1)])
    #expect(gate.handle(.location(.at(2))) == [])
    #expect(gate.handle(.location(.at(3))) == [])
    #expect(gate.handle(.path(Self.connected)) == [passReport(3), .pass(.at(3))])
    #expect(gate.handle(.path(Self.connected)) == [])
    #expect(gate.held == nil && gate.heldCount == 0)
  }

  @Test func `after a network loss, the gate passes the newest location again, once, after the delay`() {
    var gate = ReachabilityGate(delaysRelease: true)
    _ = gate.handle(.path(Self.connected))
    _ = gate.handle(.location(.at(1)))
    #expect(gate.handle(.path(Self.disconnected)) == [])
    #expect(gate.handle(.path(Self.connected)) == [.startDelay(1)])
    #expect(gate.handle(.delayEnded(1)) == [.pass(.at(1))])
    #expect(gate.handle(.path(Self.connected)) == [])
  }

  @Test func `after a network loss, the gate releases the newest location when the delay ends`() {
    var gate = ReachabilityGate(delaysRelease: true)
    _ = gate.handle(.path(Self.disconnected))
    _ = gate.handle(.location(.at(1)))
    #expect(gate.handle(.path(Self.connected)) == [.startDelay(1), holdReport("returnDelay", 1)])
    #expect(gate.handle(.location(.at(2))) == [])
    #expect(gate.handle(.delayEnded(1)) == [passReport(2), .pass(.at(2))])
    #expect(gate.handle(.delayEnded(1)) == [])
  }

  @Test func `the gate releases the held location without a delay when the first path arrives`() {
    var gate = ReachabilityGate(delaysRelease: true)
    _ = gate.handle(.location(.at(1)))
    #expect(gate.handle(.path(Self.connected)) == [passReport(1), .pass(.at(1))])
  }

  @Test func `the end of a release delay has no effect after another network loss`() {
    var gate = ReachabilityGate(delaysRelease: true)
    _ = gate.handle(.path(Self.disconnected))
    _ = gate.handle(.location(.at(1)))
    _ = gate.handle(.path(Self.connected))
    #expect(gate.handle(.path(Self.disconnected)) == [holdReport("noDefaultRoute", 1)])
    #expect(gate.handle(.delayEnded(1)) == [])
    #expect(gate.handle(.path(Self.connected)) == [.startDelay(2), holdReport("returnDelay", 1)])
    #expect(gate.handle(.delayEnded(1)) == [])
    #expect(gate.handle(.delayEnded(2)) == [passReport(1), .pass(.at(1))])
  }

  @Test func `the gate holds locations and reports expensive during the interval of an expensive path`() {
    var gate = ReachabilityGate(spacing: [.expensive, .constrained])
    _ = gate.handle(.path(Self.expensive))
    #expect(gate.handle(.location(.at(1))) == [.pass(.at(1)), .startInterval(1, .expensive)])
    #expect(gate.handle(.location(.at(2))) == [holdReport("expensive", 1)])
    #expect(gate.handle(.location(.at(3))) == [])
    #expect(
      gate.handle(.intervalEnded(1)) == [
        passReport(2), .pass(.at(3)), .startInterval(2, .expensive),
      ])
    // The interval continues during a network loss, and ends when a path without cost arrives.
    _ = gate.handle(.path(Self.disconnected))
    #expect(gate.handle(.location(.at(4))) == [holdReport("noDefaultRoute", 1)])
    #expect(gate.handle(.path(Self.expensive)) == [holdReport("expensive", 1)])
    #expect(gate.handle(.path(Self.connected)) == [passReport(1), .pass(.at(4))])
    #expect(gate.handle(.location(.at(5))) == [.pass(.at(5))])
  }

  @Test func `an interval ends when a path arrives that does not have the cost of the interval`() {
    var gate = ReachabilityGate(spacing: [.expensive, .constrained])
    _ = gate.handle(.path(Self.expensive))
    _ = gate.handle(.location(.at(1)))
    #expect(gate.handle(.location(.at(2))) == [holdReport("expensive", 1)])
    #expect(
      gate.handle(.path(Self.constrained)) == [
        passReport(1), .pass(.at(2)), .startInterval(2, .constrained),
      ])
  }

  @Test func `the gate enforces no interval on an expensive path if only constrained paths have one`() {
    var gate = ReachabilityGate(spacing: .constrained)
    _ = gate.handle(.path(Self.expensive))
    #expect(gate.handle(.location(.at(1))) == [.pass(.at(1))])
  }

  @Test func `a restarted gate keeps the held location and the current interval`() {
    var gate = ReachabilityGate(delaysRelease: true, spacing: .expensive)
    #expect(gate.handle(.started) == [])
    _ = gate.handle(.path(Self.expensive))
    _ = gate.handle(.location(.at(1)))
    _ = gate.handle(.path(Self.disconnected))
    _ = gate.handle(.location(.at(2)))
    #expect(gate.handle(.started) == [.startInterval(2, .expensive)])
    #expect(gate.verdict == .holds(reason: "pathUnknown"))
    #expect(gate.handle(.path(Self.connected)) == [.startDelay(3), holdReport("returnDelay", 1)])
    #expect(gate.handle(.delayEnded(3)) == [passReport(1), .pass(.at(2))])
  }

  @Test(
    .oneAtATime, arguments: [false, true], [[], .expensive, [.expensive, .constrained]] as [ReachabilityGate.Cost])
  func `for random events, the gate passes locations only on a satisfied path, and the newest once`(
    delays: Bool, spacing: ReachabilityGate.Cost
  ) {
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<RandomInputs.count(10_000) {
      var gate = ReachabilityGate(delaysRelease: delays, spacing: spacing)
      var mayPass = false
      var releasesSinceReturn = 0
      var intervalCost: ReachabilityGate.Cost = []
      var newest: Location?
      var lastPassed: Location?
      var (delay, interval): (UInt64?, UInt64?)
      for step in 1...20 {
        let event: ReachabilityGate.Event =
          switch Int.random(in: 0..<17, using: &generator) {
          case 0...2: .path(Self.connected)
          case 3: .path(Self.expensive)
          case 4...6: .path(Self.disconnected)
          case 7: .started
          case 16: .path(Self.constrained)
          case 8, 9: .delayEnded(delay ?? 999)
          case 10, 11: .intervalEnded(interval ?? 999)
          default: .location(.at(Double(step)))
          }
        switch event {
        case .path(let path):
          if path.isSatisfied, !mayPass { releasesSinceReturn = 0 }
          mayPass = path.isSatisfied
          // A path without the costs of an interval ends the interval. A network loss ends a delay.
          if path.isSatisfied {
            if !path.isExpensive { intervalCost.remove(.expensive) }
            if !path.isConstrained { intervalCost.remove(.constrained) }
            if intervalCost.isEmpty { interval = nil }
          }
          if !path.isSatisfied { delay = nil }
        case .started: (mayPass, delay, interval) = (false, nil, nil)
        case .delayEnded: delay = nil
        case .intervalEnded: interval = nil
        case .location(let location): newest = location
        }
        var passes = 0
        for action in gate.handle(event) {
          switch action {
          case .pass(let location):
            passes += 1
            lastPassed = location
            #expect(mayPass && location == newest && delay == nil && interval == nil)
          case .startDelay(let number): delay = number
          case .startInterval(let number, let cost): (interval, intervalCost) = (number, cost)
          case .report(let event): releasesSinceReturn += event.verdict == .passes ? 1 : 0
          }
        }
        #expect(passes <= 1)
        if spacing.isEmpty { #expect(releasesSinceReturn <= 1) }
        #expect(gate.held == nil || gate.held == newest)
        #expect(newest == nil || gate.held == newest || lastPassed == newest)
      }
    }
  }

  @Test func `the gate runner reports the final number of held locations when the input ends`() async {
    let (input, locations) = AsyncStream.makeStream(of: EnrichedLocation.self)
    for latitude in 1...5 { locations.yield(EnrichedLocation(.at(Double(latitude)))) }
    locations.finish()
    let counts = Mutex<[Int]>([])
    await ReachabilityGateRunner(monitor: .constant(Self.disconnected)).run(
      input, pass: { _ in Issue.record("passed while unsatisfied") },
      report: { event in
        if let event = event as? GateEvent { counts.withLock { $0.append(event.heldCount) } }
      })
    #expect(counts.withLock { $0.last } == 5)
  }
}
