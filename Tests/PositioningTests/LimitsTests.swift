// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Positioning

/// Tests with values at the limits of their ranges: results are clamped or `nil`, and nothing
/// traps.
@Suite struct LimitsTests {
  @Test(arguments: [0, 32, -1, Int.max, .min])
  func `a date with an impossible day is nil, whatever the size of the number`(day: Int) {
    #expect(UTCDate(year: 2026, month: 3, day: day) == nil)
  }

  @Test func `a satellite list with the maximum part number is accepted`() {
    var builder = SkyBuilder()
    builder.merge(SkyReport(group: 1, part: .max, parts: .max), receivedAt: nil)
    var view = SkyView()
    #expect(!builder.take(into: &view, dilution: Dilution(), isSimulated: false))
  }

  @Test func `the week rollover correction covers the whole range of dates`() {
    let first = UTCDate(daysSince1970: .min)
    let cycles = (Int64(Int32.max) - Int64(Int32.min)) / 7168
    let last = UTCDate(daysSince1970: Int32(Int64(Int32.min) + cycles * 7168))
    #expect(WeekRollover.corrected(first, near: last) == last)
    #expect(WeekRollover.corrected(UTCDate(daysSince1970: .max), near: first).daysSince1970 <= .max)
  }

  @Test func `time differences are exact within 64 bits and clamped beyond`() {
    let late = UTCTime(secondsSince1970: 9_223_372_037)
    let early = UTCTime(secondsSince1970: 0, nanosecond: 999_999_999)
    #expect(late.nanoseconds(since: early) == 9_223_372_036_000_000_001)
    #expect(early.nanoseconds(since: late) == -9_223_372_036_000_000_001)
    let never = UTCTime(secondsSince1970: .min)
    #expect(UTCTime(secondsSince1970: .max).nanoseconds(since: never) == .max)
  }

  @Test func `time differences include a leap second as one second`() throws {
    let day = UTCDate(daysSince1970: 17_166)
    func time(_ second: UInt8) throws -> UTCTime {
      UTCTime(
        date: day,
        timeOfDay: try #require(
          UTCTimeOfDay(hour: 23, minute: 59, second: second, nanosecond: 500_000_000)))
    }
    let (before, leap) = (try time(59), try time(60))
    let after = UTCTime(secondsSince1970: 17_167 * 86_400, nanosecond: 500_000_000)
    #expect(leap.nanoseconds(since: before) == 1_000_000_000)
    #expect(after.nanoseconds(since: leap) == 1_000_000_000)
    #expect(before.nanoseconds(since: leap) == -1_000_000_000)
    #expect(leap.nanoseconds(since: after) == -1_000_000_000)
  }

  @Test func `a sky view does not keep the arrival time of the previous view`() {
    var builder = SkyBuilder()
    var report = SkyReport(group: 1, part: 1, parts: 1)
    report.append(Satellite(id: SatelliteID(system: .gps, number: 1), rawNumber: 1))
    builder.merge(report, receivedAt: MonotonicTime(nanoseconds: 5))
    var view = SkyView()
    _ = builder.take(into: &view, dilution: Dilution(), isSimulated: false)
    #expect(view.receivedAt == MonotonicTime(nanoseconds: 5))
    builder.merge(report, receivedAt: nil)
    #expect(builder.take(into: &view, dilution: Dilution(), isSimulated: false))
    #expect(view.receivedAt == nil)
  }

  @Test func `the cycle learner learns no end for a cycle with too many kinds of report`() {
    var learner = CycleLearner()
    var now: Int64 = 0
    for _ in 0..<6 {
      learner.beginCycle(at: MonotonicTime(nanoseconds: now))
      for kind in 0..<33 {
        now += 1_000_000
        _ = learner.note(ReportKind(rawValue: UInt32(kind)), at: MonotonicTime(nanoseconds: now))
      }
      now += 800_000_000
    }
    #expect(learner.end == nil)
  }
}
