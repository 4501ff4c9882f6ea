// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Chooses the best of several sources, whose fixes are then delivered.
///
/// Fixes of different sources are never combined. A source is better if its fixes have more
/// dimensions or, with equal dimensions, a clearly smaller error. A better source replaces the
/// chosen source after a hysteresis time. A lost source is replaced at once by the best other
/// source. A chosen source that is silent or loses its position is replaced at once by the best
/// other source with a position.
///
/// A selector has no clock: callers pass in events and execute the returned actions. After a change
/// of the source, fixes up to ten seconds older than the last delivered position are dropped. A
/// source may set its own clock back, for example when it receives the number of leap seconds.
public struct SourceSelector: Sendable {
  /// The thresholds for changing the source.
  public struct Policy: Sendable {
    /// The time without a fix after which a source counts as silent.
    public var silenceNanoseconds: Int64 = 1_500_000_000
    /// The time without a fix after which the chosen source is lost; the same time as for gpsd.
    public var lossNanoseconds = GPSDSession.Options().silenceNanoseconds
    /// The time for which a source must be better than the chosen source before replacing it.
    public var hysteresisNanoseconds: Int64 = 5_000_000_000
    /// The factor below which the error of another source counts as clearly smaller.
    public var errorRatio = 0.7
    /// The maximum number of sources.
    public var sourceLimit = 16

    /// Makes the policy of the daemon.
    public init() {}
  }

  /// The reason for choosing another source.
  public enum Reason: Equatable, Sendable {
    /// There was no source before.
    case first
    /// The previous source was lost.
    case lost
    /// The previous source is silent.
    case silent
    /// The previous source no longer has a position.
    case withoutPosition
    /// The new source was better for the hysteresis time.
    case better
  }

  /// An action for the caller.
  public enum Action: Equatable, Sendable {
    /// Deliver a fix.
    case deliver(Fix)
    /// This source was chosen: all following fixes are from this source.
    case chosen(name: String, Reason)
    /// No source is left.
    case noneLeft
  }

  private struct Candidate: Sendable {
    var fix: Fix
    var at: MonotonicTime
    /// The time since which this source is better than the chosen source; `nil` if not better.
    var betterSince: MonotonicTime?
  }

  /// The thresholds for changing the source.
  public let policy: Policy
  /// The name of the chosen source; `nil` if there are no sources.
  public private(set) var chosen: String?
  /// The name of the source of the last delivered fix; `nil` if no fix was delivered.
  public private(set) var delivered: String?
  /// The number of fixes dropped because there were too many sources.
  public private(set) var droppedCount: UInt64 = 0

  private var candidates: [String: Candidate] = [:]
  /// The UTC time of the last delivered position.
  private var lastDelivered: UTCTime?
  /// The name of the source of the last delivered position.
  private var positionSource: String?
  /// The arrival time of the chosen source's last fix, or the time of the choice if that is later.
  private var lastFixAt = MonotonicTime(nanoseconds: 0)
  private var tickedAt = MonotonicTime(nanoseconds: .min)

  /// Makes a selector without sources.
  public init(policy: Policy = Policy()) { self.policy = policy }

  /// The time at which to call ``tick(at:)``; `nil` without a chosen source.
  public var deadline: MonotonicTime? {
    guard let chosen, let candidate = candidates[chosen] else { return nil }
    let loss = lastFixAt.advanced(byNanoseconds: policy.lossNanoseconds)
    let silence = candidate.at.advanced(byNanoseconds: policy.silenceNanoseconds)
    // After a tick at the silence deadline, only a fix of another source can change the choice.
    return candidates.count > 1 && silence > tickedAt ? min(silence, loss) : loss
  }

  /// The names of the sources.
  var names: some Collection<String> { candidates.keys }

  /// Returns whether a source is chosen and its fixes have been delivered.
  func isDelivering(_ name: String) -> Bool { name == chosen && name == delivered }

  /// Handles a fix of a source.
  ///
  /// - Parameters:
  ///   - fix: The fix.
  ///   - name: The name of the source.
  ///   - now: The arrival time of the fix.
  /// - Returns: The actions to perform, in order.
  public mutating func take(_ fix: Fix, from name: String, at now: MonotonicTime) -> [Action] {
    guard candidates[name] != nil || candidates.count < policy.sourceLimit else {
      droppedCount &+= 1
      return []
    }
    // A silent period restarts the hysteresis time.
    let since = candidates[name].flatMap { isSilent($0, at: now) ? nil : $0.betterSince }
    candidates[name] = Candidate(fix: fix, at: now, betterSince: since)
    guard let current = chosen, let incumbent = candidates[current] else {
      return choose(name, .first, at: now)
    }
    if name == current {
      lastFixAt = now
      if fix.mode == .none, let other = best(at: now, without: current, withPosition: true) {
        return choose(other, .withoutPosition, at: now)
      }
      return deliver(fix)
    }
    // A source without a position replaces a silent source only if neither has a position.
    if isSilent(incumbent, at: now), fix.mode > .none || incumbent.fix.mode == .none {
      return choose(name, .silent, at: now)
    }
    if incumbent.fix.mode == .none, fix.mode > .none {
      return choose(name, .withoutPosition, at: now)
    }
    guard isBetter(fix, than: incumbent.fix) else {
      candidates[name]?.betterSince = nil
      return []
    }
    let start = since ?? now
    candidates[name]?.betterSince = start
    guard now.nanoseconds &- start.nanoseconds >= policy.hysteresisNanoseconds else { return [] }
    return choose(name, .better, at: now)
  }

  /// Removes a source that was lost.
  ///
  /// - Parameters:
  ///   - name: The name of the source.
  ///   - now: The time of the loss.
  /// - Returns: The actions to perform, in order.
  public mutating func lose(_ name: String, at now: MonotonicTime) -> [Action] {
    candidates[name] = nil
    guard name == chosen else { return [] }
    chosen = nil
    guard let other = best(at: now, without: name, withPosition: false) else { return [.noneLeft] }
    return choose(other, .lost, at: now)
  }

  /// Replaces a silent chosen source, or removes it after the loss time if there is no replacement.
  ///
  /// - Parameter now: The current time.
  /// - Returns: The actions to perform, in order.
  public mutating func tick(at now: MonotonicTime) -> [Action] {
    tickedAt = now
    guard let current = chosen, let incumbent = candidates[current] else { return [] }
    if isSilent(incumbent, at: now),
      let other = best(at: now, without: current, withPosition: incumbent.fix.mode > .none)
    {
      return choose(other, .silent, at: now)
    }
    guard now.nanoseconds &- lastFixAt.nanoseconds >= policy.lossNanoseconds else { return [] }
    return lose(current, at: now)
  }
}

extension SourceSelector {
  private mutating func choose(
    _ name: String, _ reason: Reason, at now: MonotonicTime
  ) -> [Action] {
    guard let candidate = candidates[name] else { return [] }
    (chosen, lastFixAt) = (name, now)
    for key in candidates.keys { candidates[key]?.betterSince = nil }
    return [.chosen(name: name, reason)] + deliver(candidate.fix)
  }

  /// Delivers a fix unless its time is that of the last delivered position, or is up to ten seconds
  /// older and the position was of another source.
  ///
  /// After a change of the source, the last fix of the new source may be slightly older. A fix
  /// without a position does not hold back later positions.
  private mutating func deliver(_ fix: Fix) -> [Action] {
    if let time = fix.time {
      if let lastDelivered, isRepeated(time, after: lastDelivered) { return [] }
      if fix.mode > .none { (lastDelivered, positionSource) = (time, chosen) }
    }
    delivered = chosen
    return [.deliver(fix)]
  }

  /// Whether the program has already received a position that was true at a time, or later.
  ///
  /// A step back by ten seconds or more means that the clock of the previous source was wrong.
  private func isRepeated(_ time: UTCTime, after last: UTCTime) -> Bool {
    if positionSource == chosen { return time == last }
    return time <= last && last.nanoseconds(since: time) < 10_000_000_000
  }

  private func isSilent(_ candidate: Candidate, at now: MonotonicTime) -> Bool {
    now.nanoseconds &- candidate.at.nanoseconds >= policy.silenceNanoseconds
  }

  private func best(
    at now: MonotonicTime, without excluded: String, withPosition: Bool
  ) -> String? {
    var bestSoFar: (name: String, fix: Fix)?
    // Sorted by name, so that the choice between equal sources is deterministic.
    for (name, candidate) in candidates.sorted(by: { $0.key < $1.key }) where name != excluded {
      if isSilent(candidate, at: now) || (withPosition && candidate.fix.mode == .none) { continue }
      if let rival = bestSoFar, !isBetter(candidate.fix, than: rival.fix) { continue }
      bestSoFar = (name, candidate.fix)
    }
    return bestSoFar?.name
  }

  /// Whether a fix has more dimensions or a clearly smaller error.
  ///
  /// An unknown error counts as larger than any known error.
  private func isBetter(_ fix: Fix, than other: Fix) -> Bool {
    if fix.mode != other.mode { return fix.mode > other.mode }
    guard let error = fix.horizontalAccuracy?.meters else { return false }
    guard let otherError = other.horizontalAccuracy?.meters else { return true }
    return error < otherError * policy.errorRatio
  }
}
