// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

@Suite("Heading sentences")
struct HeadingTests {
  private func fixes(_ sentences: String...) -> [Fix] {
    var fixture = DecoderFixture()
    for sentence in sentences { fixture.send(sentence) }
    fixture.finish()
    return fixture.fixes
  }

  private static let fix = "GPRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A"
  private static let noFix = "GPRMC,120000,V,,,,,,,230394,,,N"

  @Test func `headings are added to the fix of their epoch and do not change the course`() throws {
    let fix = try #require(fixes(Self.fix, "HEHDT,341.8,T", "APHDM,338.6,M").first)
    #expect(fix.headingDegreesTrue == 341.8)
    #expect(fix.headingDegreesMagnetic == 338.6)
    #expect(fix.courseDegreesTrue == 84.4)
  }

  @Test func `a heading is added to one fix only, even if that fix has no position`() throws {
    let later = Self.noFix.replacing("120000", with: "120001")
    let all = fixes(Self.noFix, "GNTHS,10.5,A", later)
    #expect(all.map(\.headingDegreesTrue) == [10.5, nil])
    #expect(all.first?.mode == FixMode.none)
  }

  @Test func `a compass heading is corrected by the stated deviation and variation`() throws {
    let fix = try #require(fixes(Self.fix, "SDHDG,359.0,2.0,E,3.0,W").first)
    #expect(fix.headingDegreesMagnetic == 1)
    #expect(fix.headingDegreesTrue == 358)
    let bare = try #require(fixes(Self.fix, "SDHDG,229.8,,,,").first)
    #expect(bare.headingDegreesMagnetic == 229.8)
    #expect(bare.headingDegreesTrue == nil)
  }

  @Test(arguments: [
    "GNTHS,10.5,V", "GNTHS,10.5,S", "GNTHS,10.5,M", "HEHDT,,T",
    "PASHR,120000,10.5,T,1,2,0,0,0,0,0,0", "PASHR,120000,,T,1,2,0,0,0,0,1,0",
    "PASHR,ATT,1,10.5,0,0,0.0,999.0,1", "PASHR,AT2,1,10.5,0,0,0.0,999.0,1,00,5.7,1.7",
    "PASHR,HPR,120000,10.5,1,2,0,0,3,0,1.800,1.2", "PASHR,ATT,1,,1,2,0,0,0",
    "GNHPR,120000,10.5,1,2,0,0,0,0", "GNHPR,120000,10.5,1,2,7,0,0,0",
    "GNHPR,120000,10.5,1,2,8,0,0,0", "PSTI,036,120000,230394,10.5,1,2,N",
  ])
  func `a heading that was not measured is ignored`(sentence: String) throws {
    let fix = try #require(fixes(Self.fix, sentence).first)
    #expect(fix.headingDegreesTrue == nil)
    #expect(fix.rollDegrees == nil && fix.pitchDegrees == nil)
  }

  @Test(
    arguments: [
      ("PASHR,120000.000,224.19,T,-01.26,+00.83,+00.00,0.101,0.113,0.267,1,0", 224.19, -1.26, 0.83),
      ("PASHR,120000,224.19,T,-01.26,+00.83,,,,,0,1", 224.19, -1.26, 0.83),
      ("PASHR,120000,224.19,T,-01.26,+00.83,+00.00,0.101,0.113,0.267,2", 224.19, -1.26, 0.83),
      ("PASHR,120000,224.19,T,-01.26,+00.83,+00.00,0.101,0.113,0.267", 224.19, -1.26, 0.83),
      ("PASHR,ATT,310080.0,248.57,+04.22,,0.0027,0.0000,0", 248.57, nil, 4.22),
      ("PASHR,ATT,88536.0000,345.9640,0.0390,-0.9052,0.0024,0.0144,0", 345.964, -0.9052, 0.039),
      ("PASHR,HPR,120000.00,180.5,,-1.5,0.002,0.01,0,0,1.800,1.2", 180.5, -1.5, nil),
      ("GNHPR,120000.00,341.48,-00.64,000.00,4,46,0.00,0999", 341.48, 0, -0.64),
      ("GPHPR,120000.00,341.48,-00.64,,5,46,0.00,0999", 341.48, nil, -0.64),
      ("PSTI,036,120000.000,230394,244.28,2.77,0.00,R", 244.28, 0, 2.77),
    ] as [(String, Double, Double?, Double?)])
  func `an attitude is added to the fix, with the roll and the pitch that the receiver sends`(
    sentence: String, heading: Double, roll: Double?, pitch: Double?
  ) throws {
    let fix = try #require(fixes(Self.fix, sentence).first)
    #expect(fix.headingDegreesTrue == heading)
    #expect(fix.rollDegrees == roll)
    #expect(fix.pitchDegrees == pitch)
    #expect(fix.courseDegreesTrue == 84.4)
  }

  @Test(
    arguments: [
      ("SOL_COMPUTED,NARROW_INT,1.4,179.5,-2.5", 179.5), ("INSUFFICIENT_OBS,NONE,0,0,0", nil),
      ("SOL_COMPUTED,NONE,0,0,0", nil),
    ] as [(String, Double?)])
  func `the heading of a Unicore log is added to the fix if the log states a solution`(
    solution: String, heading: Double?
  ) throws {
    var fixture = DecoderFixture()
    fixture.send(Self.fix)
    fixture.send(bytes: log("UNIHEADINGA,78,GPS,FINE,2428,116060000,0,0,18,11;\(solution)"))
    fixture.finish()
    let fix = try #require(fixture.fixes.first)
    #expect(fix.headingDegreesTrue == heading)
    #expect(fix.pitchDegrees == heading.map { _ in -2.5 })
    #expect(fix.rollDegrees == nil)
    #expect(fixture.decoder.counters.errors == 0)
  }

  @Test func `a heading without a status, as old compasses send it, is added to the fix`() throws {
    let fix = try #require(fixes(Self.fix, "GNTHS,224.19").first)
    #expect(fix.headingDegreesTrue == 224.19)
  }

  @Test func `the heading of a log after binary data is added to the fix`() throws {
    var fixture = DecoderFixture(.live)
    fixture.send(Self.fix)
    fixture.send(
      bytes: [0xD3, 0x00, 0x13, 0x3E, 0xD0]
        + log("UNIHEADINGA,78,GPS,FINE,2428,116060000,0,0,18,11;SOL_COMPUTED,NARROW_INT,1.4,179.5,-2.5")
    )
    fixture.finish()
    #expect(fixture.fixes.first?.headingDegreesTrue == 179.5)
  }

  @Test func `heading sentences without other sentences produce no fix`() {
    #expect(fixes("HEHDT,341.8,T", "HEHDT,341.9,T").isEmpty)
  }
}
