// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Positioning

/// Tests that compare the calendar with a count of days.
@Suite struct UTCDateTests {
  private struct Mismatch: Error {
    var year: Int
    var month: Int
    var day: Int
    var count: Int32
  }

  private static func daysInMonths(of year: Int) -> [Int] {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  }

  @Test func `dates from 1600 to 2400 agree with a count of days, in both directions`() throws {
    // 1600-01-01 is 370 years before 1970, 90 of them leap years: 370 * 365 + 90.
    var count: Int32 = -135_140
    for year in 1600...2400 {
      for (index, length) in Self.daysInMonths(of: year).enumerated() {
        let month = index + 1
        for day in 1...length {
          let made = UTCDate(year: year, month: month, day: day)
          let civil = UTCDate(daysSince1970: count).civil
          guard made?.daysSince1970 == count, civil == (year, month, day) else {
            throw Mismatch(year: year, month: month, day: day, count: count)
          }
          count += 1
        }
        #expect(UTCDate(year: year, month: month, day: length + 1) == nil)
      }
    }
    // 2401-01-01 is 431 years after 1970, 105 of them leap years.
    #expect(count == 431 * 365 + 105)
  }

  @Test(
    arguments: [
      ((1970, 1, 1), 0),
      ((1969, 12, 31), -1),
      ((1980, 1, 6), 3657),  // the first day of GPS time
      ((2000, 2, 29), 11_016),
      ((2000, 3, 1), 11_017),
      ((2038, 1, 19), 24_855),  // 2^31 seconds
      ((1600, 1, 1), -135_140),
      ((0, 3, 1), -719_468),
      ((9999, 12, 31), 2_932_896),
    ] as [((Int, Int, Int), Int32)])
  func `known dates have the right day counts`(civil: (Int, Int, Int), days: Int32) {
    #expect(UTCDate(year: civil.0, month: civil.1, day: civil.2)?.daysSince1970 == days)
    #expect(UTCDate(daysSince1970: days).civil == civil)
  }

  @Test(arguments: [
    (2026, 2, 30), (2026, 2, 29), (1900, 2, 29), (2100, 2, 29), (2026, 4, 31), (2026, 11, 31),
    (2026, 1, 32), (2026, 1, 0), (2026, 1, -1), (2026, 0, 1), (2026, 13, 1), (2026, -1, 1),
    (-1, 1, 1), (10_000, 1, 1), (.max, 1, 1), (.min, 1, 1), (2026, .max, 1), (2026, .min, 1),
    (2026, 1, .min), (2026, 1, 1 << 32 + 1),
  ])
  func `UTCDate is nil for dates that do not exist`(year: Int, month: Int, day: Int) {
    #expect(UTCDate(year: year, month: month, day: day) == nil)
  }

  @Test(arguments: [.min, .min + 1, .max] as [Int32])
  func `the largest and smallest day counts have a month and a day in range`(days: Int32) {
    let civil = UTCDate(daysSince1970: days).civil
    #expect((1...12).contains(civil.month))
    #expect((1...31).contains(civil.day))
    #expect((civil.year < 0) == (days < 0))
  }

  @Test func `a date plus days stays within the range of UTCDate`() {
    #expect(UTCDate(daysSince1970: 5).adding(days: -7).daysSince1970 == -2)
    #expect(UTCDate(daysSince1970: .max).adding(days: 1).daysSince1970 == .max)
    #expect(UTCDate(daysSince1970: .min).adding(days: -1).daysSince1970 == .min)
    #expect(UTCDate(daysSince1970: .max).adding(days: .min).daysSince1970 == -1)
  }

  @Test func `dates sort by year, month and day`() {
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<2000 {
      let left = UTCDate(daysSince1970: .random(in: -200_000...200_000, using: &generator))
      let right = UTCDate(
        daysSince1970: left.daysSince1970 + .random(in: -400...400, using: &generator))
      #expect((left < right) == (left.civil < right.civil), "\(left), \(right)")
    }
  }
}
