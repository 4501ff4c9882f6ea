// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// The requests of one client for temporary full accuracy, and the grants in effect.
struct FullAccuracySession: Sendable {
  /// The inputs of an evaluation.
  struct Context {
    var client: ClientIdentity
    var process: ProcessToken
    /// The current authorization of the client.
    var authorization: Authorization
    var verdict: AuthorizationVerdict
    var ledger: DecisionLedger
    var now: BootTimestamp

    /// Returns the seconds that an operator has granted for a purpose; `nil` without such a grant.
    func operatorSeconds(_ purposeKey: String) -> Int64? {
      ledger.fullAccuracySeconds(for: client, purposeKey: purposeKey, at: now)
    }
  }

  /// A request that has not been answered yet.
  private struct Wait: Sendable {
    var purposeKey: String
    var since: BootTimestamp
    var isFiled = false
  }

  /// A grant in effect, by its origin.
  private enum Grant: Sendable {
    /// A decision of an operator, in the store.
    case decision
    /// A default rule, for this duration.
    case rule(since: BootTimestamp, seconds: Int64)
  }

  /// The maximum number of pending requests, one per purpose; more than any program needs.
  private static let maxWaits = 8

  private var waits: [Wait] = []
  /// The grants in effect, by purpose.
  private var grants: [String: Grant] = [:]

  var isWaiting: Bool { !waits.isEmpty }
  var isIdle: Bool { waits.isEmpty && grants.isEmpty }

  /// The times of the pending requests.
  var waitsSince: [BootTimestamp] { waits.map(\.since) }

  /// Adds a request; returns false if too many are pending.
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

  /// Removes a request; returns false if it was not pending.
  mutating func drop(_ purposeKey: String) -> Bool {
    let count = waits.count
    waits.removeAll { $0.purposeKey == purposeKey }
    return waits.count < count
  }

  /// Returns the remaining seconds of each grant in effect.
  func secondsLeft(_ context: Context) -> [Int64] {
    grants.keys.compactMap { secondsLeft($0, context) }
  }

  private func secondsLeft(_ purposeKey: String, _ context: Context) -> Int64? {
    switch grants[purposeKey] {
    case nil: return nil
    case .decision?: return context.operatorSeconds(purposeKey)
    case .rule(let since, let seconds)?:
      guard context.verdict.fullAccuracySeconds != nil,
        let elapsed = context.now.seconds(since: since), elapsed < seconds
      else { return nil }
      return seconds - elapsed
    }
  }

  /// Ends the grants that were withdrawn or have expired.
  ///
  /// - Returns: Whether full accuracy ended as a result.
  mutating func end(_ context: Context) -> Bool {
    guard !grants.isEmpty else { return false }
    for key in grants.keys
    where !context.authorization.status.isAuthorized || secondsLeft(key, context) == nil {
      grants[key] = nil
    }
    return grants.isEmpty
  }

  /// Answers the requests that can be answered now; `began` is the log line for a new grant.
  mutating func answer(_ context: Context, began: AuditEvent) -> [PolicySession.Effect] {
    var effects: [PolicySession.Effect] = []
    for wait in waits {
      let key = wait.purposeKey
      let isPending = context.ledger.pending.contains {
        $0.fullAccuracyPurposeKey == DecisionLedger.truncated(key)
          && $0.processes.contains(context.process)
      }
      guard let answer = answer(to: wait, isPending: isPending, context) else {
        if !wait.isFiled { effects.append(.fileFullAccuracy(key)) }
        continue
      }
      _ = drop(key)
      if isPending { effects.append(.withdrawFullAccuracy(key)) }
      if case .granted(let duration?) = answer {
        grants[key] =
          context.operatorSeconds(key) != nil
          ? .decision : .rule(since: context.now, seconds: duration.components.seconds)
        var began = began
        began.reason = key
        effects.append(.audit(began))
      }
      effects.append(.answerFullAccuracy(key, answer))
    }
    return effects
  }

  private func answer(to wait: Wait, isPending: Bool, _ context: Context) -> FullAccuracyAnswer? {
    guard context.authorization.status.isAuthorized else { return .declined }
    // Full accuracy has been granted permanently since the request was made.
    if context.authorization.accuracy == .fullAccuracy { return .granted(duration: nil) }
    let seconds = context.operatorSeconds(wait.purposeKey) ?? context.verdict.fullAccuracySeconds
    if let seconds { return .granted(duration: .seconds(seconds)) }
    if wait.isFiled, !isPending { return .declined }
    guard let limit = context.verdict.waiting.timeoutSeconds,
      let waited = context.now.seconds(since: wait.since)
    else { return nil }
    return waited < limit ? nil : .declined
  }
}
