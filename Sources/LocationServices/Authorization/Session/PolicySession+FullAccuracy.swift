// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// Full accuracy for a while: asked for, waited for, given, ended.
extension PolicySession {
  /// What a client of reduced accuracy has asked for, and what it was given.
  struct FullAccuracy: Sendable {
    struct Wait: Sendable {
      var purposeKey: String
      var since: BoardTime
      var isFiled = false
    }

    var waits: [Wait] = []
    /// The purposes that it was given for and that it is not over for.
    var held: [String: Hold] = [:]
  }

  /// By what word full accuracy is held.
  enum Hold: Sendable {
    /// An operator's, in the store.
    case answer
    /// A default's, for that long.
    case rule(since: BoardTime, seconds: Int64)
  }

  /// More purposes than any program has.
  private static let mostWaits = 8

  /// Takes a request; the answer is among the effects, now or in a later look.
  mutating func askFullAccuracy(
    _ purposeKey: String, _ evaluation: AuthorizationEvaluation, at now: BoardTime
  ) -> [Effect] {
    var asking = event(.requested, now)
    asking.asksFullAccuracy = true
    asking.reason = purposeKey
    if !fullAccuracy.waits.contains(where: { $0.purposeKey == purposeKey }) {
      guard fullAccuracy.waits.count < Self.mostWaits else {
        return [.audit(asking), .answerFullAccuracy(purposeKey, .declined)]
      }
      fullAccuracy.waits.append(.init(purposeKey: purposeKey, since: now))
    }
    return [.audit(asking)] + followFullAccuracy(evaluation, at: now)
  }

  /// Takes note that a request was filed.
  mutating func filedFullAccuracy(_ purposeKey: String) {
    for index in fullAccuracy.waits.indices
    where fullAccuracy.waits[index].purposeKey == purposeKey {
      fullAccuracy.waits[index].isFiled = true
    }
  }

  /// Nobody waits for that purpose any more.
  mutating func abandonFullAccuracy(_ purposeKey: String) -> [Effect] {
    let count = fullAccuracy.waits.count
    fullAccuracy.waits.removeAll { $0.purposeKey == purposeKey }
    return fullAccuracy.waits.count < count ? [.withdrawFullAccuracy(purposeKey)] : []
  }

  /// Looks at what is said now; after the standing authorization.
  mutating func followFullAccuracy(
    _ evaluation: AuthorizationEvaluation, at now: BoardTime
  ) -> [Effect] {
    guard !fullAccuracy.waits.isEmpty || !fullAccuracy.held.isEmpty else { return [] }
    let verdict = evaluation.verdict(on: client, asking: asked, at: now, process: process)
    let ledger = (try? evaluation.ledger.get()) ?? DecisionLedger()
    return endFullAccuracy(ledger, verdict, now) + answerFullAccuracy(ledger, verdict, now)
  }

  /// How much longer full accuracy is held for a purpose, in seconds; `nil` where it is over.
  func secondsLeft(
    _ purposeKey: String, _ ledger: DecisionLedger, _ verdict: AuthorizationVerdict,
    _ now: BoardTime
  ) -> Int64? {
    switch fullAccuracy.held[purposeKey] {
    case nil: return nil
    case .answer?: return ledger.fullAccuracySeconds(for: client, purposeKey: purposeKey, at: now)
    case .rule(let since, let seconds)?:
      guard verdict.fullAccuracySeconds != nil, let elapsed = now.seconds(since: since),
        elapsed < seconds
      else { return nil }
      return seconds - elapsed
    }
  }

  /// Taken back, or over.
  private mutating func endFullAccuracy(
    _ ledger: DecisionLedger, _ verdict: AuthorizationVerdict, _ now: BoardTime
  ) -> [Effect] {
    guard !fullAccuracy.held.isEmpty else { return [] }
    let isAuthorized = told.status.isAuthorized
    for key in fullAccuracy.held.keys
    where !isAuthorized || secondsLeft(key, ledger, verdict, now) == nil {
      fullAccuracy.held[key] = nil
    }
    guard fullAccuracy.held.isEmpty else { return [] }
    return [.tell(.fullAccuracyEnded), .audit(event(.fullAccuracyEnded, now))]
  }

  private mutating func answerFullAccuracy(
    _ ledger: DecisionLedger, _ verdict: AuthorizationVerdict, _ now: BoardTime
  ) -> [Effect] {
    var effects: [Effect] = []
    for wait in fullAccuracy.waits {
      let key = wait.purposeKey
      let isThere = ledger.pending.contains {
        $0.fullAccuracyPurposeKey == DecisionLedger.cut(key) && $0.processes.contains(process)
      }
      guard let answer = answer(to: wait, isThere: isThere, ledger, verdict, now) else {
        if !wait.isFiled { effects.append(.fileFullAccuracy(key)) }
        continue
      }
      fullAccuracy.waits.removeAll { $0.purposeKey == key }
      if isThere { effects.append(.withdrawFullAccuracy(key)) }
      if case .granted(let duration?) = answer {
        let isAnswer = ledger.fullAccuracySeconds(for: client, purposeKey: key, at: now) != nil
        fullAccuracy.held[key] =
          isAnswer ? .answer : .rule(since: now, seconds: duration.components.seconds)
        var began = event(.fullAccuracyBegan, now)
        began.reason = key
        effects.append(.audit(began))
      }
      effects.append(.answerFullAccuracy(key, answer))
    }
    return effects
  }

  /// The answer, where there is one.
  private func answer(
    to wait: FullAccuracy.Wait, isThere: Bool, _ ledger: DecisionLedger,
    _ verdict: AuthorizationVerdict, _ now: BoardTime
  ) -> FullAccuracyAnswer? {
    guard told.status.isAuthorized else { return .declined }
    // Given for good meanwhile, which is told by itself.
    if told.accuracy == .fullAccuracy { return .granted(duration: nil) }
    let seconds = ledger.fullAccuracySeconds(for: client, purposeKey: wait.purposeKey, at: now)
    if let seconds { return .granted(duration: .seconds(seconds)) }
    if let seconds = verdict.fullAccuracySeconds { return .granted(duration: .seconds(seconds)) }
    if wait.isFiled, !isThere { return .declined }
    guard let limit = verdict.waiting.timeoutSeconds, let waited = now.seconds(since: wait.since)
    else { return nil }
    return waited < limit ? nil : .declined
  }
}
