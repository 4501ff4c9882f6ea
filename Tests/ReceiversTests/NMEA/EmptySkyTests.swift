// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// Lists of satellites in which the receiver states that no satellite is in view.
@Suite struct EmptySkyTests {
  private static let visible = [
    "GPGSV,1,1,04,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45"
  ]

  private static func fix(second: Int) -> [String] {
    ["GNRMC,12000\(second).00,A,4530.0000,N,00730.0000,E,0.0,,010326,,,A"]
  }

  private static func search(second: Int) -> [String] {
    ["GNRMC,12000\(second).00,V,,,,,,,010326,,,N"]
  }

  @Test(
    arguments: [
      (["GPGSV,1,1,00"], 0), (["GPGSV,1,1,00,0"], 0), (["GPGSV,1,1,"], 0),
      (["GPGSV,1,1,,,,,"], 0), (["GPGSV,,,00"], 0), (["GPGSV,1,1,00,,,,"], 0),
      (["GPGSV,1,1,00", "GLGSV,1,1,00"], 0),
      (["GPGSV,1,1,00,1", "GPGSV,1,1,00,8"], 0),
      (["GPGSV,1,1,00", "GLGSV,1,1,01,70,30,010,38"], 1),
      (["GLGSV,1,1,01,70,30,010,38", "GPGSV,1,1,00"], 1),
      (["GPGSV,1,1,01,05,30,010,38,1", "GPGSV,1,1,00,8"], 1),
      // Nothing is stated: no list, a list with satellites that are not listed, a lost part.
      ([], nil), (["GPGSV,,,"], nil), (["GPGSV,1,1,03"], nil), (["GPGSV,1,1,03,,,,"], nil),
      (["GPGSV,2,1,05,01,40,083,46"], nil), (["GLGSV,1,1,00", "GPGSV,2,1,05,01,40,083,46"], nil),
    ] as [([String], Int?)])
  func `a sky has no satellites if every list of the receiver states that it has none`(lists: [String], count: Int?) {
    var fixture = DecoderFixture()
    fixture.send(Self.search(second: 1) + lists)
    fixture.finish()
    #expect(fixture.skies.map(\.inViewCount) == (count.map { [$0] } ?? []))
  }

  @Test(arguments: [NMEADecoder.Pace.recorded, .live])
  func `satellites are gone from the next sky after the receiver states that it sees none`(pace: NMEADecoder.Pace) {
    var fixture = DecoderFixture(pace)
    for second in 0..<4 {
      fixture.send(Self.fix(second: second) + Self.visible)
      fixture.pause(milliseconds: 950)
    }
    for second in 4..<8 {
      fixture.send(Self.search(second: second) + ["GPGSV,1,1,00", "GLGSV,1,1,00"])
      fixture.pause(milliseconds: 950)
    }
    fixture.finish()
    #expect(fixture.skies.map(\.inViewCount) == [4, 4, 4, 4, 0, 0, 0, 0])
    #expect(fixture.skies.last?.time?.timeOfDay.second == 7)
  }

  /// Sends a cycle to a live decoder, with a pause in milliseconds after each burst.
  private static func send(
    _ second: Int, _ bursts: [[String]], to fixture: inout DecoderFixture, pausing pauses: [Int64]
  ) {
    fixture.send(search(second: second))
    for (burst, pause) in zip(bursts, pauses) {
      fixture.send(burst)
      fixture.pause(milliseconds: pause)
    }
  }

  @Test func `a sky after the last sentence of its epoch is delivered before the next epoch`() {
    let (none, others) = (["GPGSV,1,1,00"], ["GLGSV,1,1,01,70,30,010,38"])
    var fixture = DecoderFixture(.live)
    let cycles = Array(repeating: Self.visible, count: 4) + [none + others, none + others, none]
    for (second, lists) in cycles.enumerated() {
      Self.send(second, [lists], to: &fixture, pausing: [950])
      // The first learns the lists of a cycle; the last one has fewer lists than the one before.
      guard 1..<6 ~= second else { continue }
      #expect(fixture.skies.last?.time?.timeOfDay.second == UInt8(second))
      #expect(fixture.skies.count == second + 1)
    }
    fixture.pause(milliseconds: 100)
    #expect(fixture.skies.map(\.inViewCount) == [4, 4, 4, 4, 1, 1, 0])
    #expect(fixture.fixes.count == 7)
  }

  @Test func `a pause between the lists of satellites of a known cycle does not split the sky`() {
    var fixture = DecoderFixture(.live)
    for second in 0..<8 {
      Self.send(second, [Self.visible, ["GLGSV,1,1,01,70,30,010,38"]], to: &fixture, pausing: [400, 550])
    }
    fixture.finish()
    // Until the end of the cycle is learnt, the pause completes the epoch with its sky.
    #expect(fixture.skies.map(\.inViewCount).suffix(5) == [5, 5, 5, 5, 5])
  }

  @Test func `an empty sky is written with its counts and an empty list`() {
    var line = JSONLine()
    line.appendSKY(SkyView(), device: "x")
    #expect(
      String(decoding: line.bytes, as: UTF8.self)
        == #"{"class":"SKY","device":"x","nSat":0,"uSat":0,"satellites":[]}"# + "\n")
  }
}
