// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Positioning

/// Tests of UTC times, including leap seconds.
@Suite struct UTCTimeTests {
  private static func time(
    _ date: (Int, Int, Int), _ hour: UInt8, _ minute: UInt8, _ second: UInt8,
    nanosecond: UInt32 = 0
  ) throws -> UTCTime {
    UTCTime(
      date: try #require(UTCDate(year: date.0, month: date.1, day: date.2)),
      timeOfDay: try #require(
        UTCTimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond)))
  }

  @Test func `date and time of day are converted to Unix time and back`() throws {
    var generator = SeededGenerator(seed: 77)
    for _ in 0..<5000 {
      let days = Int32.random(in: -800_000...3_000_000, using: &generator)
      let timeOfDay = try #require(
        UTCTimeOfDay(
          hour: .random(in: 0...23, using: &generator),
          minute: .random(in: 0...59, using: &generator),
          second: .random(in: 0...60, using: &generator),
          nanosecond: .random(in: 0...999_999_999, using: &generator)))
      let date = UTCDate(daysSince1970: days)
      let time = UTCTime(date: date, timeOfDay: timeOfDay)
      #expect(time.date == date)
      #expect(time.timeOfDay == timeOfDay)
      #expect(time.isLeapSecond == (timeOfDay.second == 60))
      let seconds = Int64(timeOfDay.hour) * 3600 + Int64(timeOfDay.minute) * 60
      #expect(
        time.secondsSince1970
          == Int64(days) * 86_400 + seconds + Int64(min(timeOfDay.second, 59)))
    }
  }

  @Test func `a leap second sorts after second 59 and before the next day`() throws {
    let day = (2016, 12, 31)
    let ordered = [
      try Self.time(day, 23, 59, 59), try Self.time(day, 23, 59, 59, nanosecond: 999_999_999),
      try Self.time(day, 23, 59, 60), try Self.time(day, 23, 59, 60, nanosecond: 1),
      try Self.time(day, 23, 59, 60, nanosecond: 999_999_999),
      try Self.time((2017, 1, 1), 0, 0, 0), try Self.time((2017, 1, 1), 0, 0, 0, nanosecond: 1),
    ]
    for (left, right) in zip(ordered, ordered.dropFirst()) {
      #expect(left < right)
      #expect(!(right < left))
    }
    #expect(ordered.shuffled().sorted() == ordered)
    #expect(ordered[2].secondsSince1970 == ordered[0].secondsSince1970)
    #expect(ordered[2].date == ordered[0].date)
    #expect(ordered[2].timeOfDay.second == 60)
    #expect(ordered[2] != ordered[0])
  }

  @Test func `a leap second is one second after second 59`() throws {
    let last = try Self.time((2016, 12, 31), 23, 59, 59, nanosecond: 500_000_000)
    let leap = try Self.time((2016, 12, 31), 23, 59, 60)
    #expect(leap.nanoseconds(since: last) == 500_000_000)
    #expect(last.nanoseconds(since: leap) == -500_000_000)
    #expect(leap.nanoseconds(since: leap) == 0)
  }

  @Test(arguments: [1_000_000_000, .max])
  func `the nanoseconds of a time are limited to 999,999,999`(nanosecond: UInt32) {
    #expect(UTCTime(secondsSince1970: 0, nanosecond: nanosecond).nanosecond == 999_999_999)
  }

  @Test(
    arguments: [(-1, -1, 86_399), (-86_400, -1, 0), (-86_401, -2, 86_399), (0, 0, 0)]
      as [(Int64, Int32, UInt32)])
  func `times before 1970 have a date and a time of day`(seconds: Int64, days: Int32, secondOfDay: UInt32) {
    let time = UTCTime(secondsSince1970: seconds)
    #expect(time.date.daysSince1970 == days)
    #expect(time.timeOfDay.wholeSecondsSinceMidnight == secondOfDay)
  }

  @Test(arguments: [Int64.min, .max])
  func `the date of an extreme time stays within the range of UTCDate`(seconds: Int64) {
    let time = UTCTime(secondsSince1970: seconds, nanosecond: 999_999_999)
    #expect(time.date.daysSince1970 == (seconds < 0 ? .min : .max))
    #expect(time.timeOfDay.hour < 24)
  }

  @Test(
    arguments: [
      // from, to, difference
      ((0, 0), (0, 0), 0),
      ((0, 1), (1, 0), 999_999_999),
      ((1, 0), (0, 1), -999_999_999),
      ((-1, 999_999_999), (0, 0), 1),
      ((0, 0), (9_223_372_036, 854_775_807), .max),
      ((0, 0), (9_223_372_036, 854_775_806), .max - 1),
      ((0, 0), (9_223_372_036, 854_775_808), .max),
      ((0, 0), (9_223_372_036, 999_999_999), .max),
      ((0, 0), (9_223_372_037, 0), .max),
      ((9_223_372_036, 854_775_807), (0, 0), -.max),
      ((9_223_372_036, 854_775_809), (0, 0), .min),
      ((9_223_372_037, 0), (0, 0), .min),
      ((.min, 0), (.max, 0), .max),
      ((.max, 0), (.min, 0), .min),
      ((0, 0), (.max, 999_999_999), .max),
      ((0, 0), (.min, 0), .min),
      ((.min, 0), (0, 0), .max),
    ] as [((Int64, UInt32), (Int64, UInt32), Int64)])
  func `time differences in nanoseconds are clamped to 64 bits`(
    from: (Int64, UInt32), to: (Int64, UInt32), nanoseconds: Int64
  ) {
    let (from, to) = (
      UTCTime(secondsSince1970: from.0, nanosecond: from.1),
      UTCTime(secondsSince1970: to.0, nanosecond: to.1)
    )
    #expect(to.nanoseconds(since: from) == nanoseconds)
  }

  @Test func `time differences add up, and their sign agrees with the order of the times`() {
    var generator = SeededGenerator(seed: 5)
    func random() -> UTCTime {
      UTCTime(
        secondsSince1970: .random(in: -4_000_000_000...4_000_000_000, using: &generator),
        nanosecond: .random(in: 0...999_999_999, using: &generator))
    }
    for _ in 0..<3000 {
      let (a, b, c) = (random(), random(), random())
      // Each difference fits into 64 bits. A sum that overflows is not compared.
      let (sum, overflow) = b.nanoseconds(since: a)
        .addingReportingOverflow(c.nanoseconds(since: b))
      if !overflow { #expect(c.nanoseconds(since: a) == sum) }
      #expect((a < b) == (a.nanoseconds(since: b) < 0))
    }
  }

  @Test(
    arguments: [(24, 0, 0, 0), (0, 60, 0, 0), (0, 0, 61, 0), (0, 0, 0, 1_000_000_000)]
      as [(UInt8, UInt8, UInt8, UInt32)])
  func `UTCTimeOfDay is nil for values out of range`(hour: UInt8, minute: UInt8, second: UInt8, nanosecond: UInt32) {
    #expect(
      UTCTimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond) == nil)
  }

  @Test func `times of day sort correctly in a leap second`() throws {
    let times = try [(0, 0), (59, 0), (59, 999_999_999), (60, 0), (60, 999_999_999)].map {
      try #require(UTCTimeOfDay(hour: 23, minute: 59, second: $0.0, nanosecond: $0.1))
    }
    #expect(times.shuffled().sorted() == times)
    #expect(times[4].nanosecondsSinceMidnight == 86_400_999_999_999)
  }
}
