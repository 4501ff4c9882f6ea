// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import WeatherClient

/// Decides when a lookup is due: rarely, since providers ask for that and the weather of the next
/// street is the same.
///
/// A lookup is due where there was none yet, where the last answer is too old, or where the board
/// has moved far from where it was for; and never sooner after another than the least interval, nor
/// before the time is over for which a provider asked to be left alone.
public struct LookupPolicy: Equatable, Sendable {
  /// The age in seconds at which an answer is too old.
  public var maximumAgeSeconds: Double
  /// The distance in metres at which an answer is for another place.
  public var distanceMeters: Double
  /// The least number of seconds between two lookups, failed ones included.
  public var minimumIntervalSeconds: Double
  private var lastAttempt: MonotonicTime?
  private var refusedUntil: MonotonicTime?
  private var lastAnswer: Answer?

  private struct Answer: Equatable {
    var end: MonotonicTime
    var coordinate: Coordinate
  }

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - maximumAgeSeconds: After how long an answer is too old.
  ///   - distanceMeters: After how far it is for somewhere else.
  ///   - minimumIntervalSeconds: What lies between two lookups at least.
  public init(
    maximumAgeSeconds: Double = 1800, distanceMeters: Double = 5000,
    minimumIntervalSeconds: Double = 60
  ) {
    self.maximumAgeSeconds = maximumAgeSeconds
    self.distanceMeters = distanceMeters
    self.minimumIntervalSeconds = minimumIntervalSeconds
  }

  /// Decides, and takes note of the lookup where one is due.
  ///
  /// - Parameters:
  ///   - coordinate: Where the board is.
  ///   - now: The present reading of the clock.
  /// - Returns: Whether to look up.
  public mutating func takeDue(at coordinate: Coordinate, now: MonotonicTime) -> Bool {
    guard nextDue(at: coordinate, now: now) <= now else { return false }
    lastAttempt = now
    return true
  }

  /// The seconds until a lookup is due for a board that stays where it is.
  ///
  /// - Parameters:
  ///   - coordinate: Where the board is.
  ///   - now: The present reading of the clock.
  /// - Returns: Seconds, 0 where one is due.
  public func secondsUntilDue(at coordinate: Coordinate, now: MonotonicTime) -> Double {
    max(0, nextDue(at: coordinate, now: now).seconds(since: now))
  }

  /// Whether the last answer is young enough and for here.
  func isAnswered(at coordinate: Coordinate, now: MonotonicTime) -> Bool {
    guard let lastAnswer else { return false }
    return now < lastAnswer.end
      && coordinate.distanceMeters(to: lastAnswer.coordinate) < distanceMeters
  }

  /// The longest time that a provider is left alone for at its word: a day.
  public static let longestRefusalSeconds: Double = 86_400

  /// Takes note of a provider that wants to be left alone.
  ///
  /// - Parameters:
  ///   - seconds: For how long, by the provider; more than ``longestRefusalSeconds`` counts as
  ///     that, and `nil` leaves the least interval alone to decide.
  ///   - now: The present reading of the clock.
  public mutating func refused(forSeconds seconds: Double?, now: MonotonicTime) {
    guard let seconds, seconds > 0 else { return }
    let nanoseconds = Int64(min(seconds, Self.longestRefusalSeconds) * 1e9)
    refusedUntil = now.advanced(byNanoseconds: nanoseconds)
  }

  /// Makes the next lookup due at once, as at a person's wish; a provider that wants to be left
  /// alone is left alone still.
  public mutating func renew() {
    lastAttempt = nil
    lastAnswer = nil
  }

  /// Makes a lookup due as soon as the least interval allows, as after a loss of the network.
  public mutating func forgetAnswer() { lastAnswer = nil }

  /// Takes note of an answer.
  ///
  /// - Parameters:
  ///   - coordinate: What it is for, or where the board was when it was asked for.
  ///   - freshForSeconds: For how much longer it stands, where it was kept and not asked for anew:
  ///     such a one has its age already, and is not to last as long as a new one.
  ///   - now: The present reading of the clock.
  public mutating func answered(
    for coordinate: Coordinate, freshForSeconds: Double? = nil, now: MonotonicTime
  ) {
    let end = outdated(answeredAt: now)
    let kept = freshForSeconds.map { now.advanced(bySeconds: $0) }
    lastAnswer = Answer(end: min(end, kept ?? end), coordinate: coordinate)
  }

  /// Takes note of a report that a location was told.
  ///
  /// - Parameters:
  ///   - report: The report. Where it is for counts, unless its cell is so coarse that the middle
  ///     is elsewhere: else one that was kept would hold for as far again from wherever it is told.
  ///   - coordinate: Where the board was when it was asked for.
  ///   - now: The present reading of the clock.
  mutating func answered(
    with report: WeatherReport, at coordinate: Coordinate, now: MonotonicTime
  ) {
    let isNear = report.coordinate.distanceMeters(to: coordinate) < distanceMeters
    answered(
      for: isNear ? report.coordinate : coordinate, freshForSeconds: report.freshForSeconds,
      now: now)
  }

  /// When a lookup is due, if nothing else happens until then.
  ///
  /// Whoever holds a location that is not due looks it up at that reading, so that the last one
  /// is looked up although no other follows it.
  ///
  /// - Parameters:
  ///   - coordinate: Where the board is.
  ///   - now: The present reading of the clock.
  /// - Returns: The reading from which ``takeDue(at:now:)`` allows it; `now` where it does already.
  public func nextDue(at coordinate: Coordinate, now: MonotonicTime) -> MonotonicTime {
    var due = now
    if let refusedUntil { due = max(due, refusedUntil) }
    if let lastAttempt { due = max(due, lastAttempt.advanced(bySeconds: minimumIntervalSeconds)) }
    if let lastAnswer, coordinate.distanceMeters(to: lastAnswer.coordinate) < distanceMeters {
      due = max(due, lastAnswer.end)
    }
    return due
  }

  /// When an answer is too old.
  func outdated(answeredAt time: MonotonicTime) -> MonotonicTime {
    time.advanced(bySeconds: maximumAgeSeconds)
  }
}
