// SPDX-License-Identifier: Apache-2.0

import Positioning
import Receivers
import Testing

/// Cycles that give the same fixes live and from a recording.
@Suite struct LiveAndRecordedTests {
  /// The sentences of a cycle with a position at a second after 12:00:00.
  private func valid(_ second: Int, talker: String = "GN") -> [String] {
    let clock = "1200\(second < 10 ? "0" : "")\(second).00"
    return [
      "\(talker)RMC,\(clock),A,5130.0000,N,00006.0000,W,0.05,,271126,,,A",
      "\(talker)VTG,,,,,0.05,N,0.09,K,A",
      "\(talker)GGA,\(clock),5130.0000,N,00006.0000,W,1,10,0.9,35.2,M,45.9,M,,",
      "\(talker)GSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,0.9,1.5",
      "\(talker)GLL,5130.0000,N,00006.0000,W,\(clock),A,A",
    ]
  }

  /// The sentences of a cycle of a receiver that has neither a time nor a position.
  private func void(talker: String = "GN") -> [String] {
    [
      "\(talker)RMC,,V,,,,,,,,,,N", "\(talker)VTG,,,,,,,,,N", "\(talker)GGA,,,,,,0,00,99.99,,,,,,",
      "\(talker)GSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99", "\(talker)GLL,,,,,,V,N",
    ]
  }

  /// Decodes a recording like `fixcast decode`: with a survey first.
  private func recorded(_ cycles: [[String]]) -> [Fix] {
    var survey = RecordingSurvey()
    for body in cycles.joined() { survey.read(line(body).span) }
    var fixture = DecoderFixture(survey: survey)
    for cycle in cycles { fixture.send(cycle) }
    fixture.finish()
    return fixture.fixes
  }

  /// Decodes one cycle a second and returns the fixes that a program receives.
  private func live(_ cycles: [[String]]) -> [Fix] {
    var fixture = DecoderFixture(.live)
    for cycle in cycles {
      fixture.send(cycle)
      fixture.pause(milliseconds: 975)
    }
    fixture.finish()
    return fixture.deliveredFixes
  }

  @Test(arguments: [2, 3, 5, 9])
  func `a clock that steps back by less than ten seconds causes no gap, live and recorded`(step: Int) {
    let seconds = Array(10..<20) + Array(20 - step..<30)
    let cycles = seconds.map { valid($0) }
    let expected = seconds.map { "2026-11-27 12:0:\($0) 3" }
    #expect(outline(live(cycles)) == expected)
    #expect(outline(recorded(cycles)) == expected)
  }

  @Test(arguments: [1, 2, 5])
  func `a receiver that loses its time has a void epoch in each cycle, live and recorded`(count: Int) {
    let cycles =
      (0..<4).map { valid($0) } + (0..<count).map { _ in void() }
      + (4..<7).map { valid($0 + count) }
    let expected =
      (0..<4).map { "2026-11-27 12:0:\($0) 3" } + (0..<count).map { _ in "no time 1" }
      + (4..<7).map { "2026-11-27 12:0:\($0 + count) 3" }
    #expect(outline(live(cycles)) == expected)
    #expect(outline(recorded(cycles)) == expected)
  }

  @Test func `void cycles before the first epoch do not hide a later loss of the time`() {
    let cycles: [[String]] =
      [void()] + (0..<4).map { valid($0) } + [void(), void()] + (6..<9).map { valid($0) }
    let expected: [String] =
      ["no time 1"] + (0..<4).map { "2026-11-27 12:0:\($0) 3" } + ["no time 1", "no time 1"]
      + (6..<9).map { "2026-11-27 12:0:\($0) 3" }
    #expect(outline(live(cycles)) == expected)
    #expect(outline(recorded(cycles)) == expected)
  }

  @Test func `a restart within a cycle does not hide the void cycles of another restart`() {
    let cycles: [[String]] =
      (0..<4).map { valid($0) } + [void()] + (4..<7).map { valid($0) } + [void(), void()]
      + (9..<12).map { valid($0) }
    let expected: [String] =
      (0..<4).map { "2026-11-27 12:0:\($0) 3" } + ["no time 1"]
      + (4..<7).map { "2026-11-27 12:0:\($0) 3" } + ["no time 1", "no time 1"]
      + (9..<12).map { "2026-11-27 12:0:\($0) 3" }
    #expect(outline(recorded(cycles)) == expected)
  }

  @Test func `a void epoch with a GLL that has no time does not hide the void cycles of a restart`() {
    let search = { (second: Int) in
      [
        "GNRMC,12000\(second).00,V,,,,,,,271126,,,N",
        "GNGGA,12000\(second).00,,,,,0,00,99.99,,,,,,",
        "GNGLL,,,,,,V,N",
      ]
    }
    let cycles: [[String]] =
      (0..<4).map { valid($0) } + [void(), void(), search(6)] + (7..<10).map { valid($0) }
    let expected: [String] =
      (0..<4).map { "2026-11-27 12:0:\($0) 3" }
      + ["no time 1", "no time 1", "2026-11-27 12:0:6 1"]
      + (7..<10).map { "2026-11-27 12:0:\($0) 3" }
    #expect(outline(recorded(cycles)) == expected)
  }

  @Test(arguments: [
    ["GNGLL,,,,,,V,N", "GNRMC,,V,,,,,,,,,,N"],
    ["GNGNS,,,,,,NN,00,99.99,,,,", "GNRMC,,V,,,,,,,,,,N"],
  ])
  func `a receiver that restarts with other sentences keeps its last fix, live and recorded`(restart: [String]) {
    let short = { (second: Int) in
      valid(second).filter { $0.hasPrefix("GNRMC") || $0.hasPrefix("GNGSA") }
    }
    let cycles: [[String]] = (0..<4).map(short) + [restart] + (6..<9).map(short)
    let expected: [String] =
      (0..<4).map { "2026-11-27 12:0:\($0) 3" } + ["no time 1"]
      + (6..<9).map { "2026-11-27 12:0:\($0) 3" }
    #expect(outline(live(cycles)) == expected)
    #expect(outline(recorded(cycles)) == expected)
  }

  @Test func `a recording of a receiver that loses its time needs no survey`() {
    var fixture = DecoderFixture()
    for cycle in [valid(0), valid(1), void(), void(), valid(4)] { fixture.send(cycle) }
    fixture.finish()
    #expect(fixture.fixes.map(\.mode.rawValue) == [3, 3, 1, 1, 3])
  }

  @Test(arguments: ["GN", "GP"])
  func `a second receiver without a position on the line causes no void epoch, live and recorded`(talker: String) {
    let cycles = (0..<6).map { valid($0) + void(talker: talker) }
    let expected = (0..<6).map { "2026-11-27 12:0:\($0) 3" }
    #expect(outline(live(cycles)) == expected)
    #expect(outline(recorded(cycles)) == expected)
  }

  @Test func `a repeated old RMC beside a receiver without a position is no fix, live and recorded`() {
    let repeated = ["GPRMC,000000.00,A,0.000,N,0.000,E,0.0,0.0,050505,0.0,E"]
    let cycles = (0..<4).map { _ in repeated + void(talker: "GP") }
    let expected = (0..<4).map { _ in "2005-5-5 0:0:0 1" }
    #expect(outline(recorded(cycles)) == expected)
    #expect(live(cycles).map(\.mode) == (0..<4).map { _ in FixMode.none })
  }
}
