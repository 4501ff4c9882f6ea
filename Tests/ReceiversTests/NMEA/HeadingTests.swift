// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

@Suite("Heading sentences")
struct HeadingTests {
  private func fixes(_ sentences: String...) -> [Fix] {
    var bench = DecoderBench()
    for sentence in sentences { bench.send(sentence) }
    bench.finish()
    return bench.fixes
  }

  private static let fix = "GPRMC,120000,A,4807.038,N,01131.000,E,0.5,084.4,230394,,,A"
  private static let noFix = "GPRMC,120000,V,,,,,,,230394,,,N"

  @Test("headings are added to the fix of their epoch and do not change the course")
  func added() throws {
    let fix = try #require(fixes(Self.fix, "HEHDT,341.8,T", "APHDM,338.6,M").first)
    #expect(fix.headingDegreesTrue == 341.8)
    #expect(fix.headingDegreesMagnetic == 338.6)
    #expect(fix.courseDegreesTrue == 84.4)
  }

  @Test("a heading is added to one fix only, even if that fix has no position")
  func once() throws {
    let later = Self.noFix.replacing("120000", with: "120001")
    let all = fixes(Self.noFix, "GNTHS,10.5,A", later)
    #expect(all.map(\.headingDegreesTrue) == [10.5, nil])
    #expect(all.first?.mode == FixMode.none)
  }

  @Test("a compass heading is corrected by the stated deviation and variation")
  func corrected() throws {
    let fix = try #require(fixes(Self.fix, "SDHDG,359.0,2.0,E,3.0,W").first)
    #expect(fix.headingDegreesMagnetic == 1)
    #expect(fix.headingDegreesTrue == 358)
    let bare = try #require(fixes(Self.fix, "SDHDG,229.8,,,,").first)
    #expect(bare.headingDegreesMagnetic == 229.8)
    #expect(bare.headingDegreesTrue == nil)
  }

  @Test(
    "a heading that was not measured is ignored",
    arguments: ["GNTHS,10.5,V", "GNTHS,10.5,S", "GNTHS,10.5,M", "HEHDT,,T"])
  func refused(sentence: String) throws {
    #expect(try #require(fixes(Self.fix, sentence).first).headingDegreesTrue == nil)
  }

  @Test("heading sentences without other sentences produce no fix")
  func alone() { #expect(fixes("HEHDT,341.8,T", "HEHDT,341.9,T").isEmpty) }
}
