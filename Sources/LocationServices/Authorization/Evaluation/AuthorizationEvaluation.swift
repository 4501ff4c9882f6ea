// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import SystemSupport

/// Evaluates rules, decisions and the switch for a client; has no clock and reads no files.
///
/// The first of these that applies decides:
///
/// 1. A policy file or store that cannot be read: restricted, for every client.
/// 2. Rules below /etc, if the most specific match is a `lock`: restricted.
/// 3. The switch for the whole board: denied.
/// 4. Decisions of operators.
/// 5. Default rules below /etc, then those of the system image, once the client makes a request.
/// 6. Otherwise: not determined.
///
/// Within each step, the most specific selector wins; at equal specificity, the stricter entry
/// wins. A default rule applies until an operator decides. No operator can override a lock.
package struct AuthorizationEvaluation: Sendable {
  package var rules: PolicyRules
  package var ledger: Result<DecisionLedger, DecisionStoreError>
  /// The authorization of a client without any decision so far; `nil` for not determined.
  ///
  /// It is set for commands that a person runs, because a user with a shell on the board decides
  /// for themselves. It does not apply to a client whose decision has expired; that client must
  /// make a request again.
  package var base: AuthorizationStatus?
  /// Whether the configuration of the board specifies what the client does with locations.
  ///
  /// A rule `ask everyone` does not apply to such a client. All other rules and decisions do.
  var isConfigured = false

  package init(
    rules: PolicyRules, ledger: Result<DecisionLedger, DecisionStoreError>,
    base: AuthorizationStatus? = nil
  ) {
    self.rules = rules
    self.ledger = ledger
    self.base = base
  }

  /// Evaluates the authorization of a client.
  ///
  /// Without `request`, default rules do not apply yet. Without `process`, a one-time grant applies
  /// only while no program has claimed it.
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
    let matchingRule = ownRule ?? winner(rules.image)
    let rule = matchingRule.flatMap { isConfigured && $0.asksAboutEveryone ? nil : $0 }
    let decision = ledger.decisions
      .filter { decision in
        decision.selector.matches(client)
          && decision.applicability(at: now, for: process).applies
      }
      .max { ($0.selector.specificity, $0.strictness) < ($1.selector.specificity, $1.strictness) }
    var verdict: AuthorizationVerdict
    if let decision {
      verdict = AuthorizationVerdict(
        authorization: decision.authorization, origin: .decision(decision),
        remainingSeconds: decision.applicability(at: now, for: process).seconds)
    } else if let rule {
      verdict = AuthorizationVerdict(
        authorization: rule.authorization(for: request), origin: .rule(rule))
    } else {
      // The base applies only to a client without any decision so far.
      let status = ledger.hadDecision(for: client) ? nil : base
      verdict = AuthorizationVerdict(
        authorization: .init(status ?? .notDetermined), origin: .undecided)
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
  /// The precedence at equal specificity; the higher value wins.
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
