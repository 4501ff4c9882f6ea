// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import SystemSupport

@Suite("Time zone rules")
struct ZoneRulesTests {
  private static func time(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int64 = 0, _ minute: Int64 = 0
  ) throws -> UTCTime {
    let date = try #require(UTCDate(year: year, month: month, day: day))
    return UTCTime(
      secondsSince1970: Int64(date.daysSince1970) * 86_400 + hour * 3600 + minute * 60)
  }

  private static func zone(_ name: String) throws -> LocalZone {
    .rules(try #require(ZoneRules(named: name), "\(name) is not in the database"))
  }

  @Test func `the offset of a zone changes at the time that its country announced`() throws {
    let berlin = try #require(ZoneRules(named: "Europe/Berlin"))
    let spring = try Self.time(2026, 3, 29, 1)
    let before = UTCTime(secondsSince1970: spring.secondsSince1970 - 1)
    #expect(berlin.offset(at: before) == .init(seconds: 3600, abbreviation: "CET"))
    #expect(berlin.offset(at: spring) == .init(seconds: 7200, abbreviation: "CEST"))
    let kathmandu = try #require(ZoneRules(named: "Asia/Kathmandu"))
    #expect(kathmandu.offset(at: spring) == .init(seconds: 20_700, abbreviation: "+0545"))
  }

  @Test(arguments: [
    "", "/etc/passwd", "../localtime", "Europe", "Europe/Atlantis", "tzdata.zi", "zone.tab",
    "Europe/Berlin\0", "Europe/Berlin ", String(repeating: "x", count: 100),
  ])
  func `a name that is no IANA zone has no rules`(name: String) {
    #expect(ZoneRules(named: name) == nil)
  }

  @Test(arguments: [
    ("America/Los_Angeles", "PST8PDT,M3.2.0,M11.1.0"),
    ("Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3"),
    ("Europe/Dublin", "IST-1GMT0,M10.5.0,M3.5.0/1"),
    ("Australia/Lord_Howe", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"),
    ("Pacific/Chatham", "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45"),
    ("America/Nuuk", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0"),
    ("Asia/Kolkata", "IST-5:30"), ("Pacific/Kiritimati", "<+14>-14"),
  ])
  func `the yearly rule of a zone gives the offsets of the time zone database`(name: String, text: String) throws {
    let rules = try #require(ZoneRules(named: name))
    let yearly = try #require(YearlyZoneRule(text))
    let first = try Self.time(2030, 1, 1).secondsSince1970
    for quarter in 0..<4 * 24 * 800 as Range<Int64> {
      let second = first + quarter * 900
      let offset = rules.offset(at: UTCTime(secondsSince1970: second))
      guard yearly.offset(at: second) != offset else { continue }
      Issue.record("\(name) \(second): \(yearly.offset(at: second)), not \(offset)")
      return
    }
  }

  @Test(arguments: [
    "", "C", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,J60,J300", "CET-1CEST,M3.6.0,M10.5.0", "<+1-1", "CET-99", "CET-1:99",
    "CET-1CEST,M3.5.0,M10.5.0/999", "CET-1CEST,M3.5.0,M10.5.0,", "CET-9999999999999999999",
  ])
  func `an invalid or unsupported yearly rule is refused`(text: String) {
    #expect(YearlyZoneRule(text) == nil)
  }

  /// A file of version 2 with a yearly rule and no changes, as written by `zic -b slim`.
  private static let slimFile: [UInt8] = {
    func header(_ counts: [UInt8]) -> [UInt8] {
      Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts.flatMap { [0, 0, 0, $0] }
    }
    let first = header([0, 0, 0, 0, 1, 1]) + [0, 0, 0, 0, 0, 0, 0]
    let second = header([0, 0, 0, 0, 1, 4]) + [0, 0, 14, 16, 0, 0] + Array("CET".utf8) + [0]
    return first + second + Array("\nCET-1CEST,M3.5.0,M10.5.0/3\n".utf8)
  }()

  @Test func `the yearly rule of a file is used after the last change of the file`() throws {
    let rules = try #require(ZoneRules(bytes: Self.slimFile))
    #expect(rules.offset(at: try Self.time(2026, 1, 1)).abbreviation == "CET")
    #expect(rules.offset(at: try Self.time(2026, 7, 1)).abbreviation == "CEST")
    #expect(rules.offset(at: try Self.time(2126, 7, 1)).seconds == 7200)
    for second in [Int64.min, .max] {
      #expect(rules.offset(at: UTCTime(secondsSince1970: second)).seconds == 3600)
    }
  }

  @Test func `a damaged file of the time zone database has rules or none, and never traps`() throws {
    let berlin = try BoundedFile.read("/usr/share/zoneinfo/Europe/Berlin", limit: 65_536)
    let time = try Self.time(2026, 7, 1)
    for file in [berlin, Self.slimFile] {
      for count in file.indices.prefix(400) {
        _ = ZoneRules(bytes: Array(file.prefix(count)))?.offset(at: time)
      }
      var generator = SeededGenerator(seed: 11)
      for _ in 0..<RandomInputs.count(5000) {
        var damaged = file
        for _ in 0..<4 {
          // Most inputs damage a header.
          let last = Bool.random(using: &generator) ? 44 : file.count
          let index = Int.random(in: 0..<last, using: &generator)
          damaged[index] = UInt8.random(in: 0...255, using: &generator)
        }
        _ = ZoneRules(bytes: damaged)?.offset(at: time)
      }
    }
  }

  @Test func `a date begins at midnight, or after it if the clocks are set forward at midnight`() throws {
    let berlin = try Self.zone("Europe/Berlin")
    #expect(
      berlin.start(of: try Self.time(2026, 3, 29).date) == (try Self.time(2026, 3, 28, 23)))
    #expect(
      berlin.start(of: try Self.time(2026, 3, 30).date) == (try Self.time(2026, 3, 29, 22)))
    // In 2023, Cairo set its clocks from 00:00 to 01:00 on 28 April, and from 00:00 back to 23:00 at
    // the end of 26 October.
    let cairo = try Self.zone("Africa/Cairo")
    #expect(cairo.start(of: try Self.time(2023, 4, 28).date) == (try Self.time(2023, 4, 27, 22)))
    #expect(cairo.start(of: try Self.time(2023, 10, 27).date) == (try Self.time(2023, 10, 26, 22)))
    // Havana sets its clocks from 01:00 back to 00:00, so midnight occurs twice.
    let havana = try Self.zone("America/Havana")
    #expect(havana.start(of: try Self.time(2023, 11, 5).date) == (try Self.time(2023, 11, 5, 4)))
    #expect(LocalZone.utc.start(of: UTCDate(daysSince1970: 1)).secondsSince1970 == 86_400)
  }

  @Test func `a time of day is repeated only in the hour after the clocks are set back`() throws {
    let berlin = try Self.zone("Europe/Berlin")
    let midnight = try Self.time(2026, 10, 25).secondsSince1970
    let hours = (-30..<30 as Range<Int64>).filter {
      berlin.isRepeated(UTCTime(secondsSince1970: midnight + $0 * 3600))
    }
    // 02:00 CEST and 02:00 CET.
    #expect(hours == [0, 1])
    let lordHowe = try Self.zone("Australia/Lord_Howe")
    let quarters = (-200..<200 as Range<Int64>).filter {
      lordHowe.isRepeated(UTCTime(secondsSince1970: midnight + $0 * 900))
    }
    #expect(quarters == [])
    // The clocks are set back by half an hour at 15:00 UTC.
    let back = try Self.time(2026, 4, 4, 15).secondsSince1970
    let halfHours = (-200..<200 as Range<Int64>).filter {
      lordHowe.isRepeated(UTCTime(secondsSince1970: back + $0 * 900))
    }
    #expect(halfHours == [-2, -1, 0, 1])
  }
}
