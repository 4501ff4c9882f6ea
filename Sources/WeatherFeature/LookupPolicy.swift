// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import WeatherClient

/// Decides when a lookup is due, to limit the requests to providers.
///
/// A lookup is due if there is no answer yet, if the last answer has expired, or if the board is at
/// least ``distanceMeters`` from the coordinate of the last answer. No lookup is due within
/// ``minimumIntervalSeconds`` of the last lookup or during a pause that a provider requested.
public struct LookupPolicy: Equatable, Sendable {
  /// The age in seconds at which an answer expires.
  public var maximumAgeSeconds: Double
  /// The distance in metres at which an answer no longer applies.
  public var distanceMeters: Double
  /// The minimum number of seconds between two lookups, including failed ones.
  public var minimumIntervalSeconds: Double
  private var lastAttempt: MonotonicTime?
  private var pausedUntil: MonotonicTime?
  /// The number of changes when the pause began; `nil` if no change ends the pause.
  private var changeCountAtPause: UInt64?
  /// The time at which a change ended a pause.
  private var pauseEndedAt: MonotonicTime?
  private var lastAnswer: Answer?

  private struct Answer: Equatable {
    var end: MonotonicTime
    var coordinate: Coordinate
  }

  /// Creates a policy.
  public init(
    maximumAgeSeconds: Double = 1800, distanceMeters: Double = 5000,
    minimumIntervalSeconds: Double = 60
  ) {
    self.maximumAgeSeconds = maximumAgeSeconds
    self.distanceMeters = distanceMeters
    self.minimumIntervalSeconds = minimumIntervalSeconds
  }

  /// Records the start of a lookup if a lookup is due.
  ///
  /// - Parameters:
  ///   - coordinate: The location of the board.
  ///   - now: The current time.
  /// - Returns: Whether a lookup is due. If `true`, the caller must start the lookup.
  public mutating func startIfDue(at coordinate: Coordinate, now: MonotonicTime) -> Bool {
    guard nextDue(at: coordinate, now: now) <= now else { return false }
    lastAttempt = now
    return true
  }

  /// Returns the time until a lookup is due if the board does not move.
  ///
  /// - Parameters:
  ///   - coordinate: The location of the board.
  ///   - now: The current time.
  /// - Returns: The number of seconds; 0 if a lookup is due now.
  public func secondsUntilDue(at coordinate: Coordinate, now: MonotonicTime) -> Double {
    max(0, nextDue(at: coordinate, now: now).seconds(since: now))
  }

  /// Whether the last answer has not expired and applies to the coordinate.
  func hasValidAnswer(at coordinate: Coordinate, now: MonotonicTime) -> Bool {
    guard let lastAnswer else { return false }
    return now < lastAnswer.end
      && coordinate.distanceMeters(to: lastAnswer.coordinate) < distanceMeters
  }

  /// The maximum pause in seconds that a provider can request: a day.
  public static let maxPauseSeconds: Double = 86_400

  /// Records a pause that a provider requested.
  ///
  /// - Parameters:
  ///   - seconds: The duration, limited to ``maxPauseSeconds``. `nil` has no effect.
  ///   - now: The current time.
  public mutating func pause(forSeconds seconds: Double?, now: MonotonicTime) {
    guard let seconds, seconds > 0 else { return }
    let nanoseconds = Int64(min(seconds, Self.maxPauseSeconds) * 1e9)
    pausedUntil = now.advanced(byNanoseconds: nanoseconds)
    changeCountAtPause = nil
  }

  /// Records a pause that the client set itself, and discards the last lookup, which sent no request.
  ///
  /// A change of the clock, the network path or the certificates may end such a pause, which only the
  /// client can decide. See ``endPause(ifChangedTo:now:)``.
  mutating func pauseWithoutRequest(
    forSeconds seconds: Double, changeCount: UInt64, now: MonotonicTime
  ) {
    pause(forSeconds: seconds, now: now)
    changeCountAtPause = changeCount
    if seconds > 0 { lastAttempt = nil }
  }

  /// Whether a change may end the current pause.
  func mayEndPause(now: MonotonicTime) -> Bool {
    guard changeCountAtPause != nil, let pausedUntil, now < pausedUntil else { return false }
    // Frequent changes, for example of an unstable clock, must not cause frequent lookups.
    return pauseEndedAt.map { now.seconds(since: $0) >= minimumIntervalSeconds } ?? true
  }

  /// Ends the pause if there was a change since it began, so that the client decides again.
  mutating func endPause(ifChangedTo changeCount: UInt64, now: MonotonicTime) {
    guard mayEndPause(now: now), changeCount != changeCountAtPause else { return }
    (pausedUntil, changeCountAtPause, pauseEndedAt) = (nil, nil, now)
  }

  /// Makes a lookup due immediately, for example when the user requests a lookup.
  ///
  /// A pause that a provider requested still applies.
  public mutating func makeDue() {
    lastAttempt = nil
    lastAnswer = nil
  }

  /// Discards the last lookup, which was cancelled.
  mutating func cancelAttempt() { lastAttempt = nil }

  /// Makes a lookup due as soon as the minimum interval allows, for example after a network loss.
  public mutating func invalidateAnswer() { lastAnswer = nil }

  /// Records an answer.
  ///
  /// - Parameters:
  ///   - coordinate: The coordinate from which the distance to the board is measured.
  ///   - freshForSeconds: The remaining lifetime of a cached answer, or `nil` for a new answer.
  ///   - now: The current time.
  public mutating func recordAnswer(
    for coordinate: Coordinate, freshForSeconds: Double? = nil, now: MonotonicTime
  ) {
    let end = expiry(ofAnswerAt: now)
    let freshUntil = freshForSeconds.map { now.advanced(bySeconds: $0) }
    lastAnswer = Answer(end: min(end, freshUntil ?? end), coordinate: coordinate)
  }

  /// Records a report as the answer.
  ///
  /// The distance is measured from the coordinate of the report, so that a cached report applies
  /// only within ``distanceMeters`` of that coordinate. If the coordinate is too far from the
  /// board, as with a coarse grid, the distance is measured from the location of the board at the
  /// lookup.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - coordinate: The location of the board at the lookup.
  ///   - now: The current time.
  mutating func recordAnswer(
    with report: WeatherReport, at coordinate: Coordinate, now: MonotonicTime
  ) {
    let isNear = report.coordinate.distanceMeters(to: coordinate) < distanceMeters
    recordAnswer(
      for: isNear ? report.coordinate : coordinate, freshForSeconds: report.freshForSeconds,
      now: now)
  }

  /// Returns the time at which the next lookup is due if no other event occurs.
  ///
  /// At this time, the caller looks up the weather for the newest location, even if no further
  /// location arrives.
  ///
  /// - Parameters:
  ///   - coordinate: The location of the board.
  ///   - now: The current time.
  /// - Returns: The time from which ``startIfDue(at:now:)`` returns `true`; `now` if a lookup is
  ///   due.
  public func nextDue(at coordinate: Coordinate, now: MonotonicTime) -> MonotonicTime {
    var due = now
    if let pausedUntil { due = max(due, pausedUntil) }
    if let lastAttempt { due = max(due, lastAttempt.advanced(bySeconds: minimumIntervalSeconds)) }
    if let lastAnswer, coordinate.distanceMeters(to: lastAnswer.coordinate) < distanceMeters {
      due = max(due, lastAnswer.end)
    }
    return due
  }

  /// Returns the time at which an answer expires.
  func expiry(ofAnswerAt time: MonotonicTime) -> MonotonicTime {
    time.advanced(bySeconds: maximumAgeSeconds)
  }
}
