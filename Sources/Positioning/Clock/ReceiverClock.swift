// SPDX-License-Identifier: Apache-2.0

/// The current time by a receiver, which does not depend on the system clock.
///
/// A board without a clock battery starts in the past, and stays there without a network.
package struct ReceiverClock: Equatable, Sendable {
  /// The difference in seconds from which the system clock is wrong.
  package static let toleranceSeconds = 60.0

  /// The difference in seconds up to which a corrected date agrees with the system clock.
  private static let agreementSeconds = 86_400.0

  private let time: UTCTime
  private let receivedAt: MonotonicTime
  private let isDateCorrected: Bool

  /// Creates a clock from a fix; `nil` if the time of the fix is not certain.
  ///
  /// The time is certain if the fix has a position, is neither simulated nor replayed, and is later
  /// than the build date, after the correction of a week rollover.
  package init?(_ fix: Fix) {
    guard fix.mode > .none else { return nil }
    self.init(
      fix.time, fix.receivedAt, isLive: !fix.isSimulated && !fix.isReplayed,
      isDateCorrected: fix.isDateCorrected)
  }

  /// Creates a clock from a location; `nil` if the time of the location is not certain.
  package init?(_ location: Location) {
    self.init(
      location.time, location.receivedAt, isLive: !location.isSimulated && !location.isReplayed,
      isDateCorrected: location.isDateCorrected)
  }

  private init?(
    _ time: UTCTime?, _ receivedAt: MonotonicTime?, isLive: Bool, isDateCorrected: Bool
  ) {
    guard let time, let receivedAt, isLive, time.date >= WeekRollover.buildDate else {
      return nil
    }
    self.time = time
    self.receivedAt = receivedAt
    self.isDateCorrected = isDateCorrected
  }

  /// Returns whether the date is a guess that does not prove that the system clock is wrong.
  ///
  /// The date is a guess if it was corrected for a week rollover and differs by more than a day from
  /// a system clock that may be right: a recording that is sent again may have any date. The date is
  /// also a guess if it is more than a day later and many years after the build date: gpsd adds a
  /// rollover cycle to every date before 2017.
  package func isGuess(besides system: UTCTime, at now: MonotonicTime) -> Bool {
    guard system.date >= WeekRollover.buildDate else { return false }
    let ahead = Double(time(at: now).nanoseconds(since: system)) / 1e9
    return isDateCorrected
      ? abs(ahead) > Self.agreementSeconds
      : ahead > Self.agreementSeconds && time.date > WeekRollover.lastPlausibleDate
  }

  /// Returns the current time.
  package func time(at now: MonotonicTime) -> UTCTime {
    let elapsed = max(0, now.nanoseconds &- receivedAt.nanoseconds) &+ Int64(time.nanosecond)
    return UTCTime(
      secondsSince1970: time.secondsSince1970 &+ elapsed / 1_000_000_000,
      nanosecond: UInt32(elapsed % 1_000_000_000))
  }
}

/// The error of a system clock that is wrong by more than a minute, or that shows a time at which
/// this program cannot run.
package struct SystemClockError: Equatable, Sendable, CustomStringConvertible {
  /// The time in seconds by which the system clock is ahead, negative if it is behind.
  package let aheadSeconds: Double
  /// The current time by the receiver; `nil` if only the build date shows the error.
  package let receiverTime: UTCTime?

  /// The time after the build date in which this program can run, in seconds.
  ///
  /// Later, the program could not correct the dates of receivers any more.
  private static let lifetimeSeconds = Double(WeekRollover.cycleDays) * 86_400

  /// Compares the system clock with a receiver, or without a receiver with the build date.
  ///
  /// Returns `nil` if the system clock is not known to be wrong.
  package init?(system: UTCTime, receiver: ReceiverClock?, at now: MonotonicTime) {
    let time = receiver.flatMap {
      $0.isGuess(besides: system, at: now) ? nil : $0.time(at: now)
    }
    let reference =
      time
      ?? UTCTime(
        secondsSince1970: Int64(WeekRollover.buildDate.daysSince1970) * 86_400)
    let ahead = Double(system.nanoseconds(since: reference)) / 1e9
    let isRight =
      time == nil
      ? (0...Self.lifetimeSeconds).contains(ahead) : abs(ahead) <= ReceiverClock.toleranceSeconds
    guard !isRight else { return nil }
    self.init(aheadSeconds: ahead, receiverTime: time)
  }

  /// Creates the error that a daemon has reported.
  package init(aheadSeconds: Double, receiverTime: UTCTime?) {
    self.aheadSeconds = aheadSeconds
    self.receiverTime = receiverTime
  }

  /// Whether the error is long enough that TLS certificates appear to be invalid.
  package var breaksTLS: Bool { abs(aheadSeconds) >= 86_400 }

  /// The error, without the remedy.
  package var facts: String {
    guard receiverTime == nil else {
      let direction = aheadSeconds > 0 ? "ahead of" : "behind"
      return "the system clock is \(amount) \(direction) the receiver"
    }
    return aheadSeconds > 0
      ? "the system clock is \(amount) after the build of this program"
      : "the system clock is at least \(amount) behind"
  }

  /// The command that sets the clock.
  package var command: String {
    let network = "sudo timedatectl set-ntp true"
    guard let time = receiverTime else { return network }
    return "sudo date --utc --set=\(Self.text(time))   (with a network: \(network))"
  }

  /// The error and the remedy in one line.
  package var description: String { "\(facts); set it: \(command)" }

  private var amount: String {
    let seconds = min(abs(aheadSeconds), 1e11)
    let (divisor, unit): (Double, String) =
      switch seconds {
      case ..<120: (1.0, "s")
      case ..<7200: (60.0, "min")
      case ..<172_800: (3600.0, "h")
      case ..<63_072_000: (86_400.0, "days")
      default: (31_556_952.0, "years")
      }
    return "\(Int(exactly: (seconds / divisor).rounded(.down)) ?? 0) \(unit)"
  }

  private static func text(_ time: UTCTime) -> String {
    let (year, month, day) = time.date.civil
    let clock = time.timeOfDay
    func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let parts = [clock.hour, clock.minute, min(clock.second, 59)].map { twoDigits(Int($0)) }
    return "\(year)-\(twoDigits(month))-\(twoDigits(day))T\(parts.joined(separator: ":"))Z"
  }
}
