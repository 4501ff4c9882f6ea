// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import SystemSupport

/// Decides on a client from all that has been said: a function of its parts, with no clock and no
/// file.
///
/// In this order; the first that says anything decides:
///
/// 1. What cannot be read: restricted, for everybody.
/// 2. Rules below /etc, where the most precise one that fits is a `lock`: restricted.
/// 3. The switch for the whole board: denied.
/// 4. Answers of operators.
/// 5. Defaults below /etc, then those of images, once the client asks.
/// 6. Nothing: not determined.
///
/// Within each the most precise selector wins, and at equal precision the stricter word. A
/// default is what holds until somebody answers; a lock is what nobody can answer.
package struct AuthorizationEvaluation: Sendable {
  package var rules: PolicyRules
  package var ledger: Result<DecisionLedger, DecisionStoreError>
  /// What holds for a client about whom nobody has ever said anything; `nil` for not determined.
  ///
  /// For a command that a person runs: who has a shell on the board asks for themselves by it. An
  /// answer that is over was said, and is asked for anew.
  package var base: AuthorizationStatus?
  /// Whether whoever runs the board has configured what the client is to do with locations.
  ///
  /// A rule that has an operator asked about everyone is answered by that already. Every other word
  /// goes for such a client as for any.
  var isConfigured = false

  package init(
    rules: PolicyRules, ledger: Result<DecisionLedger, DecisionStoreError>,
    base: AuthorizationStatus? = nil
  ) {
    self.rules = rules
    self.ledger = ledger
    self.base = base
  }

  /// Decides on a client.
  ///
  /// Without a request defaults do not count yet. Without a process there is no grant that serves
  /// once.
  package func verdict(
    on client: ClientIdentity, asking request: AuthorizationRequest?, at now: BootTimestamp,
    process: ProcessToken? = nil
  ) -> AuthorizationVerdict {
    if let problem = rules.problems.first { return .restricted(.brokenPolicy(problem)) }
    let ledger: DecisionLedger
    switch self.ledger {
    case .success(let read): ledger = read
    case .failure(let error): return .restricted(.brokenStore(error))
    }
    func winner(_ rules: [PolicyRule]) -> PolicyRule? {
      rules.filter { $0.selector.matches(client) }
        .max { ($0.selector.specificity, $0.strictness) < ($1.selector.specificity, $1.strictness) }
    }
    let ownRule = winner(rules.administrator)
    if let ownRule, ownRule.verb == .lock { return .restricted(.lock(ownRule)) }
    if ledger.isSwitchedOff {
      return AuthorizationVerdict(authorization: .init(.denied), origin: .switchedOff)
    }
    let written = ownRule ?? winner(rules.image)
    let rule = written.flatMap { isConfigured && $0.asksAboutEveryone ? nil : $0 }
    let decision = ledger.decisions
      .filter { decision in
        decision.selector.matches(client) && decision.counts(at: now, for: process).holds
      }
      .max { ($0.selector.specificity, $0.strictness) < ($1.selector.specificity, $1.strictness) }
    var verdict: AuthorizationVerdict
    if let decision {
      verdict = AuthorizationVerdict(
        authorization: decision.authorization, origin: .decision(decision),
        remainingSeconds: decision.counts(at: now, for: process).seconds)
    } else if let rule {
      verdict = AuthorizationVerdict(
        authorization: rule.authorization(for: request), origin: .rule(rule))
    } else {
      // The base holds only for a client that was never answered.
      let status = ledger.hasAnswered(client) ? nil : base
      verdict = AuthorizationVerdict(
        authorization: .init(status ?? .notDetermined), origin: .nobody)
    }
    if case .ask(let timeout, let denies)? = rule?.verb {
      verdict.waiting = .init(timeoutSeconds: timeout, thenDenies: denies)
    }
    return verdict
  }
}

extension AuthorizationVerdict {
  fileprivate static func restricted(_ origin: Origin) -> AuthorizationVerdict {
    AuthorizationVerdict(authorization: .init(.restricted), origin: origin)
  }
}

extension PolicyRule {
  /// What wins at equal precision: the higher number.
  fileprivate var strictness: Int {
    switch verb {
    case .lock: 8
    case .deny: 7
    case .ask: 6
    case .allow(let level, let accuracy):
      (level == .whenInUse ? 2 : 0) + (accuracy == .reducedAccuracy ? 1 : 0)
    }
  }

  fileprivate var asksAboutEveryone: Bool {
    if case .ask = verb { selector == .everyone } else { false }
  }

  fileprivate func authorization(for request: AuthorizationRequest?) -> Authorization {
    guard let request else { return Authorization(.notDetermined) }
    switch verb {
    case .lock: return Authorization(.restricted)
    case .deny: return Authorization(.denied)
    case .ask: return Authorization(.notDetermined)
    case .allow(let level, let accuracy):
      let isAlways = level == .always && request == .always
      return Authorization(isAlways ? .authorizedAlways : .authorizedWhenInUse, accuracy: accuracy)
    }
  }
}

extension Decision {
  fileprivate var strictness: Int {
    switch level {
    case .denied: 4
    case .whenInUse: isReduced ? 3 : 2
    case .always: isReduced ? 1 : 0
    }
  }

  fileprivate var authorization: Authorization {
    let status: AuthorizationStatus =
      switch level {
      case .denied: .denied
      case .whenInUse: .authorizedWhenInUse
      case .always: .authorizedAlways
      }
    return Authorization(status, accuracy: isReduced ? .reducedAccuracy : .fullAccuracy)
  }
}
