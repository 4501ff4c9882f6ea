// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Positioning

/// The receiver's time, and the error of the system clock.
@Suite struct ReceiverClockTests {
  private static let noon = UTCTime(secondsSince1970: 1_795_262_400)
  private static let received = MonotonicTime(nanoseconds: 50_000_000_000)

  private static func fix(_ change: (inout Fix) -> Void = { _ in }) -> Fix {
    var fix = Fix(mode: .threeDimensional)
    (fix.time, fix.receivedAt) = (noon, received)
    change(&fix)
    return fix
  }

  @Test func `the receiver's clock advances with the monotonic clock`() throws {
    let clock = try #require(ReceiverClock(Self.fix()))
    let later = clock.time(at: MonotonicTime(nanoseconds: 3_650_250_000_000))
    #expect(later == UTCTime(secondsSince1970: 1_795_266_000, nanosecond: 250_000_000))
    #expect(clock.time(at: MonotonicTime(nanoseconds: 0)) == Self.noon)
  }

  @Test func `a fix without a certain time yields no clock`() {
    #expect(ReceiverClock(Self.fix { $0.mode = .none }) == nil)
    #expect(ReceiverClock(Self.fix { $0.time = nil }) == nil)
    #expect(ReceiverClock(Self.fix { $0.receivedAt = nil }) == nil)
    #expect(ReceiverClock(Self.fix { $0.isSimulated = true }) == nil)
    #expect(ReceiverClock(Self.fix { $0.isReplayed = true }) == nil)
    #expect(
      ReceiverClock(Self.fix { $0.time = UTCTime(secondsSince1970: 1_248_432_426) }) == nil)
  }

  @Test(
    arguments: [
      (10, "the system clock is 56 years behind the receiver"),
      (1_577_836_800, "the system clock is 6 years behind the receiver"),
      (1_795_262_400 - 61, "the system clock is 61 s behind the receiver"),
      (1_795_262_400 + 7300, "the system clock is 2 h ahead of the receiver"),
      (1_795_262_400 + 31_536_000, "the system clock is 365 days ahead of the receiver"),
      (1_795_262_400 + 59, nil),
      (1_795_262_400 - 60, nil),
    ] as [(Int64, String?)])
  func `a system clock that is wrong by more than a minute is reported with its error and remedy`(
    system: Int64, facts: String?
  ) throws {
    let error = SystemClockError(
      system: UTCTime(secondsSince1970: system), receiver: ReceiverClock(Self.fix()),
      at: Self.received)
    #expect(error?.facts == facts)
    guard let error else { return }
    #expect(
      error.command
        == "sudo date --utc --set=2026-11-21T12:00:00Z   (with a network: "
        + "sudo timedatectl set-ntp true)")
    #expect(error.receiverTime == Self.noon)
  }

  @Test func `without a receiver, a system clock decades after the build date is known to be wrong`() {
    // 2069-01-01.
    let error = SystemClockError(
      system: UTCTime(secondsSince1970: 3_124_224_000), receiver: nil, at: Self.received)
    #expect(error?.facts == "the system clock is 42 years after the build of this program")
    #expect(error?.command == "sudo timedatectl set-ntp true" && error?.breaksTLS == true)
    let lastDay = WeekRollover.buildDate.adding(days: WeekRollover.cycleDays)
    let last = UTCTime(secondsSince1970: Int64(lastDay.daysSince1970) * 86_400)
    #expect(SystemClockError(system: last, receiver: nil, at: Self.received) == nil)
    #expect(
      SystemClockError(
        system: UTCTime(secondsSince1970: last.secondsSince1970 + 1), receiver: nil,
        at: Self.received) != nil)
  }

  @Test func `a date that was corrected to a later day than the system clock's is no reason to set it`() throws {
    let clock = try #require(ReceiverClock(Self.fix { $0.isDateCorrected = true }))
    func error(ofClockBehind seconds: Int64) -> SystemClockError? {
      SystemClockError(
        system: UTCTime(secondsSince1970: 1_795_262_400 - seconds), receiver: clock,
        at: Self.received)
    }
    #expect(error(ofClockBehind: 15 * 86_400) == nil)
    #expect(error(ofClockBehind: 7200)?.receiverTime == Self.noon)
    // A recording that is sent again may have any date before.
    #expect(error(ofClockBehind: -15 * 86_400) == nil)
    #expect(error(ofClockBehind: -7200)?.receiverTime == Self.noon)
    // A system clock before the build date is wrong in any case.
    #expect(error(ofClockBehind: 1_000_000_000)?.receiverTime == Self.noon)
  }

  @Test func `a date nine years after the build date is no reason to set a plausible system clock`() throws {
    let distant = UTCTime(secondsSince1970: 2_086_531_200)  // 2036-02-13
    let clock = try #require(ReceiverClock(Self.fix { $0.time = distant }))
    #expect(SystemClockError(system: Self.noon, receiver: clock, at: Self.received) == nil)
    let unset = UTCTime(secondsSince1970: 10)
    #expect(
      SystemClockError(system: unset, receiver: clock, at: Self.received)?.receiverTime == distant)
  }

  @Test func `without a receiver, a system clock before the build date is known to be wrong`() {
    let error = SystemClockError(
      system: UTCTime(secondsSince1970: 1_577_836_800), receiver: nil, at: Self.received)
    #expect(error?.facts == "the system clock is at least 6 years behind")
    #expect(error?.command == "sudo timedatectl set-ntp true" && error?.breaksTLS == true)
    #expect(SystemClockError(system: Self.noon, receiver: nil, at: Self.received) == nil)
  }
}
