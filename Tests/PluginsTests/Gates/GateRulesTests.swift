// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import LocationServices
import Pipeline
import Plugins
import Positioning
import Testing

/// The decisions of the gates.
@Suite struct GateRulesTests {
  private func location(_ latitude: Double, meters: Double? = nil, at seconds: Double? = nil) -> Location {
    .at(latitude) {
      $0.horizontalAccuracy = meters.flatMap { Accuracy(meters: $0, confidencePercent: 68, basis: .receiver) }
      $0.receivedAt = seconds.map(MonotonicTime.at)
    }
  }

  @Test func `the accuracy gate passes radii up to the maximum, and holds larger and unknown radii`() {
    var gate = AccuracyGate(maxMeters: 50)
    let meters = location(0, meters: 50).horizontalAccuracyMeters ?? 0
    gate = AccuracyGate(maxMeters: meters)
    #expect(gate.verdict(on: location(0, meters: 50), at: .at(0)) == .passes)
    #expect(gate.verdict(on: location(0, meters: 50.1), at: .at(0)) == .holds(reason: "inaccurate"))
    #expect(gate.verdict(on: location(0), at: .at(0)) == .holds(reason: "accuracyUnknown"))
  }

  @Test func `the accuracy gate converts an accuracy radius at 95 % probability to 68 %`() {
    var gate = AccuracyGate(maxMeters: 50)
    var location = location(0)
    location.horizontalAccuracy = Accuracy(meters: 75, confidencePercent: 95, basis: .receiver)
    #expect(gate.verdict(on: location, at: .at(0)) == .passes)
  }

  @Test func `the age gate measures the time since the arrival, and holds if the arrival time is unknown`() {
    var gate = AgeGate(maxSeconds: 30)
    #expect(gate.verdict(on: location(0, at: 10), at: .at(40)) == .passes)
    #expect(gate.verdict(on: location(0, at: 10), at: .at(40.1)) == .holds(reason: "tooOld"))
    #expect(gate.verdict(on: location(0), at: .at(0)) == .holds(reason: "ageUnknown"))
  }

  @Test func `the distance gate measures from the last location that passed, not from held locations`() {
    // A thousandth of a degree of latitude is about 110.6 m at the equator.
    var gate = DistanceGate(minMeters: 100)
    #expect(gate.verdict(on: location(0), at: .at(0)) == .passes)
    #expect(gate.verdict(on: location(0.0006), at: .at(1)) == .holds(reason: "tooNear"))
    #expect(gate.verdict(on: location(0.001), at: .at(2)) == .passes)
    #expect(gate.verdict(on: location(0.0004), at: .at(3)) == .holds(reason: "tooNear"))
    #expect(gate.verdict(on: location(0), at: .at(4)) == .passes)
  }

  @Test func `the interval gate measures from the last location that passed, not from held locations`() {
    var gate = IntervalGate(minSeconds: 60)
    #expect(gate.verdict(on: location(0), at: .at(0)) == .passes)
    #expect(gate.verdict(on: location(1), at: .at(59.9)) == .holds(reason: "tooSoon"))
    #expect(gate.verdict(on: location(1), at: .at(60)) == .passes)
    #expect(gate.verdict(on: location(1), at: .at(119.9)) == .holds(reason: "tooSoon"))
  }

  @Test func `a rule gate reports when it starts to hold, when the reason changes and when it passes again`() async {
    struct Scripted: GateRule {
      var verdicts: [Verdict]
      mutating func verdict(on location: Location, at now: MonotonicTime) -> Verdict {
        verdicts.removeFirst()
      }
    }
    let gate = RuleGate(
      "rule",
      Scripted(verdicts: [
        .passes, .holds(reason: "a"), .holds(reason: "a"), .holds(reason: "b"), .passes,
      ]), { MonotonicTime.at(0) })
    let (passed, reported) = (EventRecorder<Location>(), EventRecorder<GateEvent>())
    let (input, inputContinuation) = AsyncStream.makeStream(of: EnrichedLocation.self)
    for number in 1...5 { inputContinuation.yield(EnrichedLocation(location(Double(number)))) }
    inputContinuation.finish()
    await gate.run(
      input, pass: { passed.record($0.location) },
      report: { if let event = $0 as? GateEvent { reported.record(event) } })
    #expect(passed.events == [location(1), location(5)])
    #expect(reported.events.map(\.heldCount) == [1, 3, 3])
    #expect(reported.events.map(\.verdict) == [.holds(reason: "a"), .holds(reason: "b"), .passes])
  }
}
