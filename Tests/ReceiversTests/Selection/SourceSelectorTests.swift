// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Receivers
import Testing

/// Choice between several sources.
@Suite struct SourceSelectorTests {
  /// Makes a fix of a source at a time in seconds.
  private func fix(_ name: String, _ seconds: Double, mode: FixMode = .threeDimensional, error: Double = 5) -> Fix {
    SupervisorFixture.fix(name, at: seconds, error: error, mode: mode)
  }

  private func delivered(_ actions: [SourceSelector.Action]) -> [String] {
    actions.compactMap { if case .deliver(let fix) = $0 { fix.source } else { nil } }
  }

  private func choices(_ actions: [SourceSelector.Action]) -> [SourceSelector.Reason] {
    actions.compactMap { if case .chosen(_, let reason) = $0 { reason } else { nil } }
  }

  @Test func `the first source is chosen, and a worse source does not replace the first source`() {
    var selector = SourceSelector()
    #expect(choices(selector.take(fix("a", 0), from: "a", at: .at(0))) == [.first])
    for step in 1..<30 {
      let now = Double(step)
      #expect(delivered(selector.take(fix("a", now), from: "a", at: .at(now))) == ["a"])
      #expect(selector.take(fix("b", now + 0.1, error: 20), from: "b", at: .at(now + 0.1)).isEmpty)
    }
    #expect(selector.chosen == "a")
  }

  @Test func `a source is chosen after it has been better for five seconds, and not earlier`() {
    var selector = SourceSelector()
    _ = selector.take(fix("a", 0, error: 10), from: "a", at: .at(0))
    var chosenAt: Double?
    for step in 1..<10 where chosenAt == nil {
      let now = Double(step)
      _ = selector.take(fix("a", now, error: 10), from: "a", at: .at(now))
      let actions = selector.take(fix("b", now + 0.1, error: 2), from: "b", at: .at(now + 0.1))
      if !choices(actions).isEmpty { chosenAt = now }
    }
    #expect(chosenAt == 6)
    #expect(selector.chosen == "b")
  }

  @Test func `one epoch without a clearly smaller error restarts the hysteresis time of a source`() {
    var selector = SourceSelector()
    _ = selector.take(fix("a", 0, error: 10), from: "a", at: .at(0))
    for step in 1..<40 {
      let now = Double(step)
      _ = selector.take(fix("a", now, error: 10), from: "a", at: .at(now))
      let error = step.isMultiple(of: 4) ? 12.0 : 2.0
      _ = selector.take(fix("b", now + 0.1, error: error), from: "b", at: .at(now + 0.1))
    }
    #expect(selector.chosen == "a")
  }

  @Test func `after a loss, the best other source is chosen at once, without delivering an old fix`() {
    var selector = SourceSelector()
    _ = selector.take(fix("a", 10), from: "a", at: .at(10))
    _ = selector.take(fix("c", 10.1, error: 50), from: "c", at: .at(10.1))
    _ = selector.take(fix("b", 9.9, error: 20), from: "b", at: .at(10.2))
    let actions = selector.lose("a", at: .at(10.3))
    #expect(actions == [.chosen(name: "b", .lost)], "b's last fix is older than a's fix")
    #expect(delivered(selector.take(fix("b", 10.9), from: "b", at: .at(11.2))) == ["b"])
    #expect(selector.lose("b", at: .at(12)) == [.noneLeft], "the third source is silent")
  }

  @Test func `a selector with one source has a loss deadline, and with two sources a silence deadline`() {
    var selector = SourceSelector()
    _ = selector.take(fix("a", 0), from: "a", at: .at(0))
    #expect(selector.deadline == .at(4.5))
    _ = selector.take(fix("b", 0.5, error: 20), from: "b", at: .at(0.5))
    #expect(selector.deadline == .at(1.5))
    _ = selector.lose("b", at: .at(1))
    #expect(selector.deadline == .at(4.5) && selector.chosen == "a")
  }

  @Test func `a silent source is replaced by another source within two seconds`() {
    var selector = SourceSelector()
    _ = selector.take(fix("a", 0), from: "a", at: .at(0))
    _ = selector.take(fix("b", 1.3, error: 50), from: "b", at: .at(1.3))
    #expect(selector.deadline == .at(1.5))
    #expect(selector.tick(at: .at(1.4)).isEmpty)
    let actions = selector.tick(at: .at(1.5))
    #expect(choices(actions) == [.silent] && delivered(actions) == ["b"])
  }

  @Test func `a source that loses its position is replaced by a source with a position`() {
    var selector = SourceSelector()
    _ = selector.take(fix("a", 0), from: "a", at: .at(0))
    _ = selector.take(fix("b", 0.5, mode: .twoDimensional), from: "b", at: .at(0.5))
    let actions = selector.take(fix("a", 1, mode: .none), from: "a", at: .at(1))
    #expect(choices(actions) == [.withoutPosition])
    #expect(delivered(actions) == ["b"])
  }

  @Test func `a source without a position does not replace a silent source with a position`() {
    var selector = SourceSelector()
    _ = selector.take(fix("a", 0), from: "a", at: .at(0))
    // Source b has no position, and its clock is ahead.
    #expect(selector.take(fix("b", 1.6, mode: .none), from: "b", at: .at(1.6)).isEmpty)
    #expect(selector.tick(at: .at(1.7)).isEmpty)
    #expect(selector.chosen == "a")
    #expect(delivered(selector.take(fix("a", 1.5), from: "a", at: .at(1.8))) == ["a"])
  }

  @Test func `an older position is delivered even after a fix with a later time but no position`() {
    var selector = SourceSelector()
    _ = selector.take(fix("b", 5, mode: .none), from: "b", at: .at(5))
    let actions = selector.take(fix("a", 4.9), from: "a", at: .at(5.1))
    #expect(choices(actions) == [.withoutPosition] && delivered(actions) == ["a"])
    #expect(selector.take(fix("b", 5.2, mode: .none), from: "b", at: .at(5.2)).isEmpty)
  }

  @Test func `a source whose clock steps back is delivered without a gap, but not the same time twice`() {
    var selector = SourceSelector()
    for (step, clock) in [0, 1, 2, 3, 0.5, 1.5, 1.5, 2.5].enumerated() {
      let actions = selector.take(fix("a", clock), from: "a", at: .at(step))
      #expect(delivered(actions) == (step == 6 ? [] : ["a"]), "\(step)")
    }
  }

  @Test func `after a change, older fixes of the new source are dropped until its first newer position`() {
    var selector = SourceSelector()
    _ = selector.take(fix("a", 10), from: "a", at: .at(10))
    _ = selector.take(fix("b", 7, error: 20), from: "b", at: .at(10.1))
    #expect(selector.lose("a", at: .at(10.2)) == [.chosen(name: "b", .lost)])
    var untimed = fix("b", 8, mode: .none)
    untimed.time = nil
    #expect(delivered(selector.take(untimed, from: "b", at: .at(11))) == ["b"])
    let clocks = [8.5, 9.5, 10.5, 9]
    let counts = clocks.enumerated().map { step, clock in
      delivered(selector.take(fix("b", clock), from: "b", at: .at(Double(12 + step)))).count
    }
    #expect(counts == [0, 0, 1, 1])
  }

  @Test func `a silent period restarts the hysteresis time of a better source`() {
    var selector = SourceSelector()
    _ = selector.take(fix("a", 0, error: 10), from: "a", at: .at(0))
    var chosenAt: [Int] = []
    for step in 1..<30 {
      let now = Double(step)
      _ = selector.take(fix("a", now, error: 10), from: "a", at: .at(now))
      // Source b is better for a second, silent for twelve seconds, and returns.
      guard step <= 2 || step >= 14 else { continue }
      let actions = selector.take(fix("b", now + 0.1, error: 2), from: "b", at: .at(now + 0.1))
      if !choices(actions).isEmpty { chosenAt.append(step) }
    }
    #expect(chosenAt == [19])
  }

  @Test func `after the loss of the only source, the next source is chosen with the reason first`() {
    var selector = SourceSelector()
    _ = selector.take(fix("a", 0), from: "a", at: .at(0))
    #expect(selector.lose("a", at: .at(1)) == [.noneLeft])
    #expect(choices(selector.take(fix("a", 2), from: "a", at: .at(2))) == [.first])
  }

  @Test func `fixes of sources beyond the selector's limit are dropped and counted`() {
    var selector = SourceSelector()
    for index in 0..<20 { _ = selector.take(fix("\(index)", 0), from: "\(index)", at: .at(0)) }
    #expect(selector.droppedCount == 4)
  }

  @Test
  func `random fixes are delivered from the chosen source only, unchanged, and a change of the source is no step back`()
  {
    for seed in 0..<RandomInputs.count(2_000 as UInt64) {
      var generator = SeededGenerator(seed: seed)
      var selector = SourceSelector()
      var now = 0.0
      var last: (time: UTCTime, source: String)?
      // The fixes of each source; no two fixes have a value in common.
      var sentFixes: [String: [Fix]] = [:]
      for step in 0..<60 {
        now += Double.random(in: 0...0.8, using: &generator)
        let name = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
        let actions: [SourceSelector.Action]
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: actions = selector.lose(name, at: .at(now))
        case 1: actions = selector.tick(at: .at(now))
        default:
          let mode: FixMode =
            [.none, .twoDimensional, .threeDimensional]
            .randomElement(using: &generator) ?? .none
          let late = Double.random(in: 0...0.5, using: &generator)
          let error = Double.random(in: 1...30, using: &generator)
          var fix = fix(name, now - late, mode: mode, error: error)
          if mode > .none {
            let part = Double(["a", "b", "c"].firstIndex(of: name) ?? 0)
            fix.coordinate = Coordinate(
              latitudeDegrees: part + Double(step) / 100, longitudeDegrees: 9 - Double(step) / 50)
            fix.altitudeMetersAboveSeaLevel = 100 * part + Double(step)
            fix.speedMetersPerSecond = 70 * part + Double(step)
          }
          sentFixes[name, default: []].append(fix)
          actions = selector.take(fix, from: name, at: .at(now))
        }
        for case .deliver(let fix) in actions {
          let chosen = selector.chosen ?? ""
          #expect(sentFixes[chosen]?.contains(fix) == true, "seed \(seed): fix changed")
          guard let time = fix.time else { continue }
          if let last, last.source != chosen { #expect(time > last.time, "seed \(seed)") }
          if fix.mode > .none { last = (time, chosen) }
        }
      }
    }
  }
}
