// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// Requests of one client for full accuracy for a while: waiting, held, ended.
struct FullAccuracySession: Sendable {
  /// What is said when the session is looked at.
  struct Look {
    var client: ClientIdentity
    var process: ProcessToken
    /// The standing authorization.
    var told: Authorization
    var verdict: AuthorizationVerdict
    var ledger: DecisionLedger
    var now: BootTimestamp

    /// Seconds that an operator has given for a purpose; `nil` where nobody has.
    func operatorSeconds(_ purposeKey: String) -> Int64? {
      ledger.fullAccuracySeconds(for: client, purposeKey: purposeKey, at: now)
    }
  }

  private struct Wait: Sendable {
    var purposeKey: String
    var since: BootTimestamp
    var isFiled = false
  }

  /// By what word full accuracy is held.
  private enum Hold: Sendable {
    /// An operator's, in the store.
    case answer
    /// A default's, for that long.
    case rule(since: BootTimestamp, seconds: Int64)
  }

  /// More purposes than any program has.
  private static let maxWaits = 8

  private var waits: [Wait] = []
  /// The purposes that it was given for and that it is not over for.
  private var held: [String: Hold] = [:]

  var isWaiting: Bool { !waits.isEmpty }
  var isIdle: Bool { waits.isEmpty && held.isEmpty }

  /// When each request that waits was made.
  var waitsSince: [BootTimestamp] { waits.map(\.since) }

  /// Takes a request; false where too many wait already.
  mutating func add(_ purposeKey: String, at now: BootTimestamp) -> Bool {
    if waits.contains(where: { $0.purposeKey == purposeKey }) { return true }
    guard waits.count < Self.maxWaits else { return false }
    waits.append(Wait(purposeKey: purposeKey, since: now))
    return true
  }

  mutating func filed(_ purposeKey: String) {
    for index in waits.indices where waits[index].purposeKey == purposeKey {
      waits[index].isFiled = true
    }
  }

  /// Drops a request; false where there was none.
  mutating func drop(_ purposeKey: String) -> Bool {
    let count = waits.count
    waits.removeAll { $0.purposeKey == purposeKey }
    return waits.count < count
  }

  /// Seconds until full accuracy is over, for each purpose that it is held for.
  func secondsLeft(_ look: Look) -> [Int64] {
    held.keys.compactMap { secondsLeft($0, look) }
  }

  private func secondsLeft(_ purposeKey: String, _ look: Look) -> Int64? {
    switch held[purposeKey] {
    case nil: return nil
    case .answer?: return look.operatorSeconds(purposeKey)
    case .rule(let since, let seconds)?:
      guard look.verdict.fullAccuracySeconds != nil,
        let elapsed = look.now.seconds(since: since), elapsed < seconds
      else { return nil }
      return seconds - elapsed
    }
  }

  /// Ends what has been taken back or is over.
  ///
  /// - Returns: Whether full accuracy ended by that.
  mutating func end(_ look: Look) -> Bool {
    guard !held.isEmpty else { return false }
    for key in held.keys where !look.told.status.isAuthorized || secondsLeft(key, look) == nil {
      held[key] = nil
    }
    return held.isEmpty
  }

  /// Answers the requests that can be answered now; `began` is the line for the log about full
  /// accuracy that begins.
  mutating func answer(_ look: Look, began: AuditEvent) -> [PolicySession.Effect] {
    var effects: [PolicySession.Effect] = []
    for wait in waits {
      let key = wait.purposeKey
      let isThere = look.ledger.pending.contains {
        $0.fullAccuracyPurposeKey == DecisionLedger.cut(key) && $0.processes.contains(look.process)
      }
      guard let answer = answer(to: wait, isThere: isThere, look) else {
        if !wait.isFiled { effects.append(.fileFullAccuracy(key)) }
        continue
      }
      _ = drop(key)
      if isThere { effects.append(.withdrawFullAccuracy(key)) }
      if case .granted(let duration?) = answer {
        held[key] =
          look.operatorSeconds(key) != nil
          ? .answer : .rule(since: look.now, seconds: duration.components.seconds)
        var began = began
        began.reason = key
        effects.append(.audit(began))
      }
      effects.append(.answerFullAccuracy(key, answer))
    }
    return effects
  }

  private func answer(to wait: Wait, isThere: Bool, _ look: Look) -> FullAccuracyAnswer? {
    guard look.told.status.isAuthorized else { return .declined }
    // A decision for full accuracy came meanwhile.
    if look.told.accuracy == .fullAccuracy { return .granted(duration: nil) }
    let seconds = look.operatorSeconds(wait.purposeKey) ?? look.verdict.fullAccuracySeconds
    if let seconds { return .granted(duration: .seconds(seconds)) }
    if wait.isFiled, !isThere { return .declined }
    guard let limit = look.verdict.waiting.timeoutSeconds,
      let waited = look.now.seconds(since: wait.since)
    else { return nil }
    return waited < limit ? nil : .declined
  }
}
