// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Plugins

@Suite("Chrony sample")
struct ChronySampleTests {
  private static let now = MonotonicTime.at(50)
  private static let systemTime = UTCTime.noon(plus: 1, nanosecond: 100_000_000)

  /// A location of 12:00:01, whose first report arrived 0.4 s ago, and its last report 0.1 s ago.
  private static func location(_ change: (inout Location) -> Void = { _ in }) -> Location {
    .at(48.1, 11.5, time: .noon(plus: 1)) {
      $0.receivedAt = now.advanced(byNanoseconds: -100_000_000)
      $0.firstReceivedAt = now.advanced(byNanoseconds: -400_000_000)
      change(&$0)
    }
  }

  private static func sample(_ change: (inout Location) -> Void = { _ in }) -> ChronySample? {
    ChronySample(location(change), now: now, systemTime: systemTime)
  }

  @Test func `a sample has the system time at the epoch's first report, and the receiver's offset`() throws {
    let sample = try #require(Self.sample())
    #expect(sample.systemTime == .noon(plus: 0, nanosecond: 700_000_000))
    #expect(abs(sample.offsetSeconds - 0.3) < 1e-12)
    let late = try #require(Self.sample { $0.firstReceivedAt = nil })
    #expect(late.systemTime == .noon(plus: 1))
    #expect(late.offsetSeconds == 0)
  }

  @Test func `the datagram has the 40 bytes that chronyd reads`() throws {
    let bytes = try #require(Self.sample()).bytes
    #expect(bytes.count == 40)
    func value<Value: BitwiseCopyable>(_ type: Value.Type, at offset: Int) -> Value {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
    #expect(value(Int64.self, at: 0) == 1_795_262_400)
    #expect(value(Int64.self, at: 8) == 700_000)
    #expect(abs(value(Double.self, at: 16) - 0.3) < 1e-12)
    #expect(bytes[24..<36].allSatisfy { $0 == 0 })
    #expect(value(Int32.self, at: 36) == 0x534f_434b)
  }

  @Test func `a date that was corrected to a later day than the system clock's yields no sample`() throws {
    func sample(ahead seconds: Int64) -> ChronySample? {
      Self.sample {
        $0.isDateCorrected = true
        $0.time = .noon(plus: 1 + seconds)
      }
    }
    #expect(sample(ahead: 0) != nil)
    #expect(sample(ahead: 7 * 86_400) == nil)
    #expect(sample(ahead: 9 * 365 * 86_400) == nil)
  }

  @Test func `a location whose time is not certain, exact and present yields no sample`() throws {
    #expect(Self.sample { $0.isSimulated = true } == nil)
    #expect(Self.sample { $0.isReplayed = true } == nil)
    #expect(Self.sample { $0.time = nil } == nil)
    // Before the build date, as of a receiver without a date.
    #expect(Self.sample { $0.time = UTCTime(secondsSince1970: 1_248_432_426) } == nil)
    #expect(Self.sample { $0.receivedAt = nil } == nil)
    // The time of a location with reduced accuracy.
    #expect(Self.sample { $0.time = $0.time?.startOfQuarterHour } == nil)
    let leap = try #require(UTCTimeOfDay(hour: 23, minute: 59, second: 60))
    #expect(
      Self.sample {
        $0.time = UTCTime(date: UTCDate(daysSince1970: 20_778), timeOfDay: leap)
      } == nil)
    #expect(Self.sample { $0.firstReceivedAt = Self.now.advanced(byNanoseconds: 1) } == nil)
    #expect(Self.sample { $0.firstReceivedAt = Self.now.advanced(byNanoseconds: -2_000_000_001) } == nil)
  }
}
