// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Positioning

/// Tests of the correction of dates after a GPS week rollover.
@Suite struct WeekRolloverTests {
  private static func date(_ year: Int, _ month: Int, _ day: Int) throws -> UTCDate {
    try #require(UTCDate(year: year, month: month, day: day))
  }

  @Test func `a rollover cycle is 1024 weeks`() {
    #expect(WeekRollover.cycleDays == 1024 * 7)
  }

  @Test func `the build date is between November 2026 and 2100`() throws {
    #expect(WeekRollover.buildDate >= (try Self.date(2026, 11, 1)))
    #expect(WeekRollover.buildDate < (try Self.date(2100, 1, 1)))
  }

  @Test(
    arguments: [
      // date from the receiver, trusted date, correct date
      ((2007, 4, 7), (2026, 11, 21), (2026, 11, 21)),
      ((1987, 8, 22), (2026, 11, 21), (2026, 11, 21)),
      ((1980, 1, 6), (1999, 8, 22), (1999, 8, 22)),
      ((1999, 8, 22), (2019, 4, 7), (2019, 4, 7)),
      ((2046, 7, 7), (2026, 11, 21), (2026, 11, 21)),
    ] as [((Int, Int, Int), (Int, Int, Int), (Int, Int, Int))])
  func `dates of real receivers after a week rollover are corrected`(
    stated: (Int, Int, Int), trusted: (Int, Int, Int), right: (Int, Int, Int)
  ) throws {
    let corrected = WeekRollover.corrected(
      try Self.date(stated.0, stated.1, stated.2),
      near: try Self.date(trusted.0, trusted.1, trusted.2))
    #expect(corrected == (try Self.date(right.0, right.1, right.2)))
  }

  @Test func `a date within 9.8 years of the trusted date is unchanged`() {
    let trusted = WeekRollover.buildDate
    for offset in Int32(-3583)...3583 {
      let date = trusted.adding(days: offset)
      guard WeekRollover.corrected(date, near: trusted) != date else { continue }
      Issue.record("a date \(offset) days from the trusted date was changed")
    }
  }

  @Test(arguments: Int32(-5)...5)
  func `a date is corrected after any number of week rollovers`(count: Int32) {
    for seed in UInt64(0)..<100 {
      var generator = SeededGenerator(seed: seed)
      let clock = WeekRollover.buildDate.adding(days: .random(in: 1...9000, using: &generator))
      let nearClock = clock.adding(days: .random(in: -366...366, using: &generator))
      let release = WeekRollover.buildDate
      let afterRelease = release.adding(days: .random(in: 0...1830, using: &generator))
      for (right, trusted) in [(nearClock, clock), (afterRelease, release)] {
        let stated = right.adding(days: count * WeekRollover.cycleDays)
        #expect(WeekRollover.corrected(stated, near: trusted) == right, "seed \(seed)")
      }
    }
  }

  @Test(
    arguments: [
      (2016, 7, 1), (2013, 9, 1), (1980, 1, 6), (2010, 3, 1), (2008, 12, 1), (2005, 5, 5),
    ] as [(Int, Int, Int)])
  func `a date is unchanged if no number of week rollovers leads to a date near the system clock's`(
    stated: (Int, Int, Int)
  ) throws {
    let date = try Self.date(stated.0, stated.1, stated.2)
    let clock = try Self.date(2026, 11, 27)
    #expect(clock > WeekRollover.buildDate)
    #expect(WeekRollover.corrected(date, near: clock) == date)
  }

  @Test func `a date is not corrected to a date before the build date, or long after the build date`() throws {
    let release = WeekRollover.buildDate
    for days in [Int32(-1), 1831, 3583] {
      let stated = release.adding(days: days - WeekRollover.cycleDays)
      #expect(WeekRollover.corrected(stated, near: release) == stated)
    }
  }

  @Test(arguments: [.min, .min + 1, .min + 3584, -1, 0, 1, .max - 3584, .max - 1, .max] as [Int32])
  func `a date corrected for a week rollover stays within the range of UTCDate`(days: Int32) {
    let date = UTCDate(daysSince1970: days)
    #expect(WeekRollover.corrected(date, near: date) == date)
  }

  @Test func `a date is unchanged, or shifted by whole rollover cycles to a date near the trusted date`() {
    for seed in UInt64(0)..<2000 {
      var generator = SeededGenerator(seed: seed)
      let half = -(Int32.max / 2) + 7168...Int32.max / 2 - 7168
      let date = UTCDate(daysSince1970: .random(in: half, using: &generator))
      let trusted = UTCDate(daysSince1970: .random(in: half, using: &generator))
      let corrected = WeekRollover.corrected(date, near: trusted)
      guard corrected != date else { continue }
      let days = Int64(corrected.daysSince1970)
      #expect((days - Int64(date.daysSince1970)) % 7168 == 0, "seed \(seed)")
      #expect(abs(days - Int64(trusted.daysSince1970)) <= 1830, "seed \(seed)")
    }
  }
}
