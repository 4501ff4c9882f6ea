// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// Chooses among several live sources the one whose fixes go on.
///
/// A fix always is one source's, whole: sources are chosen, never blended. The better source is
/// the one with more dimensions, then the one that is clearly more accurate. A better one takes
/// over when it has been better for a while; when the chosen one is lost, the best of the others
/// takes over at once, and when it goes silent or loses its position, the best that has one.
///
/// A plain value: events in, actions out. A position that was delivered is never followed by
/// something that was true before it.
public struct SourceSelector: Sendable {
  /// When to change.
  public struct Policy: Sendable {
    /// After how long without a fix a source counts as silent.
    public var silenceNanoseconds: Int64 = 1_500_000_000
    /// After how long without a fix the chosen source is lost, as it is with gpsd.
    public var lossNanoseconds = GPSDSession.Options().silenceNanoseconds
    /// For how long another source must be better before it takes over.
    public var hysteresisNanoseconds: Int64 = 5_000_000_000
    /// How much smaller its error must be to count as better, as a share of the chosen one's.
    public var errorRatio = 0.7
    /// How many sources are kept; more than any board has ports for.
    public var sourceLimit = 16

    /// Makes the policy of the daemon.
    public init() {}
  }

  /// Why another source was chosen.
  public enum Reason: Equatable, Sendable {
    /// It is the first.
    case first
    /// The one before was lost.
    case lost
    /// The one before went silent.
    case silent
    /// The one before has no position any more.
    case withoutPosition
    /// It has been better for long enough.
    case better
  }

  /// What is to be done.
  public enum Action: Equatable, Sendable {
    /// Pass a fix on.
    case deliver(Fix)
    /// Another source is chosen from here on.
    case chosen(name: String, Reason)
    /// No source is left.
    case noneLeft
  }

  private struct Candidate: Sendable {
    var fix: Fix
    var at: MonotonicTime
    /// Since when it has been better than the chosen one.
    var betterSince: MonotonicTime?
  }

  /// When to change.
  public let policy: Policy
  /// The name of the chosen source; `nil` before the first and after the last.
  public private(set) var chosen: String?
  /// The name of the source whose fix was delivered last; `nil` before the first.
  public private(set) var delivered: String?
  /// Events of sources beyond the limit.
  public private(set) var droppedCount: UInt64 = 0

  private var candidates: [String: Candidate] = [:]
  /// When the last position that went on was true.
  private var lastDelivered: UTCTime?
  /// When the chosen source was chosen, or its last fix arrived.
  private var heardAt = MonotonicTime(nanoseconds: 0)
  private var tickedAt = MonotonicTime(nanoseconds: .min)

  /// Makes a selector without sources.
  public init(policy: Policy = Policy()) { self.policy = policy }

  /// When ``tick(at:)`` should be called; `nil` without a chosen source.
  public var deadline: MonotonicTime? {
    guard let chosen, let candidate = candidates[chosen] else { return nil }
    let loss = heardAt.advanced(byNanoseconds: policy.lossNanoseconds)
    let silence = candidate.at.advanced(byNanoseconds: policy.silenceNanoseconds)
    // After a tick at that time, only a fix of another source can change the choice.
    return candidates.count > 1 && silence > tickedAt ? min(silence, loss) : loss
  }

  /// Takes a fix of a source.
  ///
  /// - Parameters:
  ///   - fix: The fix.
  ///   - name: The source's name.
  ///   - now: When it came.
  /// - Returns: What is to be done, in this order.
  public mutating func take(_ fix: Fix, from name: String, at now: MonotonicTime) -> [Action] {
    guard candidates[name] != nil || candidates.count < policy.sourceLimit else {
      droppedCount &+= 1
      return []
    }
    // Nobody knows how good it was while it was silent.
    let since = candidates[name].flatMap { isSilent($0, at: now) ? nil : $0.betterSince }
    candidates[name] = Candidate(fix: fix, at: now, betterSince: since)
    guard let current = chosen, let incumbent = candidates[current] else {
      return choose(name, .first, at: now)
    }
    if name == current {
      heardAt = now
      if fix.mode == .none, let other = best(at: now, without: current, withPosition: true) {
        return choose(other, .withoutPosition, at: now)
      }
      return deliver(fix)
    }
    // A blind one knows less than the silent one's last position, unless that was blind as well.
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

  /// Takes it that a source is gone.
  ///
  /// - Parameters:
  ///   - name: The source's name.
  ///   - now: When it went.
  /// - Returns: What is to be done, in this order.
  public mutating func lose(_ name: String, at now: MonotonicTime) -> [Action] {
    candidates[name] = nil
    guard name == chosen else { return [] }
    chosen = nil
    guard let other = best(at: now, without: name, withPosition: false) else { return [.noneLeft] }
    return choose(other, .lost, at: now)
  }

  /// Replaces a chosen source that is silent, or loses it where no other source can take over.
  ///
  /// - Parameter now: The present reading of the clock.
  /// - Returns: The actions, in this order.
  public mutating func tick(at now: MonotonicTime) -> [Action] {
    tickedAt = now
    guard let current = chosen, let incumbent = candidates[current] else { return [] }
    if isSilent(incumbent, at: now),
      let other = best(at: now, without: current, withPosition: incumbent.fix.mode > .none)
    {
      return choose(other, .silent, at: now)
    }
    guard now.nanoseconds &- heardAt.nanoseconds >= policy.lossNanoseconds else { return [] }
    return lose(current, at: now)
  }
}

extension SourceSelector {
  private mutating func choose(
    _ name: String, _ reason: Reason, at now: MonotonicTime
  ) -> [Action] {
    guard let candidate = candidates[name] else { return [] }
    (chosen, heardAt) = (name, now)
    for key in candidates.keys { candidates[key]?.betterSince = nil }
    return [.chosen(name: name, reason)] + deliver(candidate.fix)
  }

  /// Nothing that was true before the position delivered last goes on.
  ///
  /// Another receiver's last fix may be a moment older. That there was none at a time holds no
  /// position back.
  private mutating func deliver(_ fix: Fix) -> [Action] {
    if let time = fix.time {
      if let lastDelivered, time <= lastDelivered, isNear(time, lastDelivered) { return [] }
      if fix.mode > .none { lastDelivered = time }
    }
    delivered = chosen
    return [.deliver(fix)]
  }

  /// A receiver whose clock is set back by more than this is not late, but was wrong before.
  private func isNear(_ time: UTCTime, _ last: UTCTime) -> Bool {
    last.nanoseconds(since: time) < 10_000_000_000
  }

  private func isSilent(_ candidate: Candidate, at now: MonotonicTime) -> Bool {
    now.nanoseconds &- candidate.at.nanoseconds >= policy.silenceNanoseconds
  }

  private func best(
    at now: MonotonicTime, without excluded: String, withPosition: Bool
  ) -> String? {
    var found: (name: String, fix: Fix)?
    // By name, so that equal sources are always chosen in the same order.
    for (name, candidate) in candidates.sorted(by: { $0.key < $1.key }) where name != excluded {
      if isSilent(candidate, at: now) || (withPosition && candidate.fix.mode == .none) { continue }
      if let rival = found, !isBetter(candidate.fix, than: rival.fix) { continue }
      found = (name, candidate.fix)
    }
    return found?.name
  }

  /// More dimensions, or a clearly smaller error; an unknown error is larger than any.
  private func isBetter(_ fix: Fix, than other: Fix) -> Bool {
    if fix.mode != other.mode { return fix.mode > other.mode }
    guard let error = fix.horizontalAccuracy?.meters else { return false }
    guard let otherError = other.horizontalAccuracy?.meters else { return true }
    return error < otherError * policy.errorRatio
  }
}
