// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Positioning

/// Tests of the date that is assigned to epochs without a date.
@Suite struct DateKeeperTests {
  private static let day = UTCDate(daysSince1970: 20_000)

  private static func time(_ hour: UInt8, _ minute: UInt8, _ second: UInt8) throws -> UTCTimeOfDay {
    try #require(UTCTimeOfDay(hour: hour, minute: minute, second: second))
  }

  @Test func `no date is assigned before the first report with a date`() throws {
    var keeper = DateKeeper()
    #expect(keeper.date(for: try Self.time(0, 0, 0)) == nil)
    #expect(keeper.date(for: try Self.time(23, 59, 59)) == nil)
  }

  @Test(
    arguments: [
      // time in the report, requested time, difference in days
      ((23, 59, 59), (0, 0, 0), 1),
      ((23, 59, 60), (0, 0, 0), 1),
      ((23, 59, 59), (23, 59, 60), 0),
      ((18, 0, 0), (5, 59, 59), 1),
      ((18, 0, 0), (6, 0, 1), 0),
      ((0, 0, 0), (23, 59, 59), -1),
      ((0, 0, 0), (23, 59, 60), -1),
      ((6, 0, 0), (18, 0, 1), -1),
      ((6, 0, 0), (17, 59, 59), 0),
      ((12, 0, 0), (12, 0, 0), 0),
      ((12, 0, 0), (12, 0, 1), 0),
      ((12, 0, 1), (12, 0, 0), 0),
      // A step of exactly half a day does not change the date.
      ((18, 0, 0), (6, 0, 0), 0),
      ((6, 0, 0), (18, 0, 0), 0),
    ] as [((UInt8, UInt8, UInt8), (UInt8, UInt8, UInt8), Int32)])
  func `a time step of more than half a day, in either direction, changes the date`(
    stated: (UInt8, UInt8, UInt8), requested: (UInt8, UInt8, UInt8), days: Int32
  ) throws {
    var keeper = DateKeeper()
    keeper.note(Self.day, at: try Self.time(stated.0, stated.1, stated.2))
    let date = keeper.date(for: try Self.time(requested.0, requested.1, requested.2))
    #expect(date == Self.day.adding(days: days))
  }

  @Test func `the date keeper returns the same date for repeated requests with one time of day`() throws {
    var keeper = DateKeeper()
    keeper.note(Self.day, at: try Self.time(23, 59, 59))
    for _ in 1...3 {
      #expect(keeper.date(for: try Self.time(0, 0, 1)) == Self.day.adding(days: 1))
    }
  }

  @Test func `a date from a report replaces the date that the date keeper computed`() throws {
    var keeper = DateKeeper()
    keeper.note(Self.day, at: try Self.time(23, 59, 59))
    _ = keeper.date(for: try Self.time(0, 0, 1))
    keeper.note(Self.day, at: try Self.time(0, 0, 2))
    #expect(keeper.date(for: try Self.time(0, 0, 3)) == Self.day)
  }

  @Test(arguments: [Int32.min, .max])
  func `a computed date stays within the range of UTCDate`(days: Int32) throws {
    var keeper = DateKeeper()
    let (before, after) = (try Self.time(23, 59, 59), try Self.time(0, 0, 0))
    keeper.note(UTCDate(daysSince1970: days), at: days < 0 ? after : before)
    #expect(keeper.date(for: days < 0 ? before : after)?.daysSince1970 == days)
  }

  @Test func `the computed date is correct after random steps shorter than half a day`() throws {
    for seed in UInt64(0)..<100 {
      var generator = SeededGenerator(seed: seed)
      var seconds = Int64.random(in: -1_000_000_000...4_000_000_000, using: &generator)
      var keeper = DateKeeper()
      let start = UTCTime(secondsSince1970: seconds)
      keeper.note(start.date, at: start.timeOfDay)
      for _ in 0..<100 {
        seconds += Int64.random(in: -43_199...43_199, using: &generator)
        let time = UTCTime(secondsSince1970: seconds)
        let date = keeper.date(for: time.timeOfDay)
        try #require(date == time.date, "seed \(seed), \(seconds)")
      }
    }
  }
}
