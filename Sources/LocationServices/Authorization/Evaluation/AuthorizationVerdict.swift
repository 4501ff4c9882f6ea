// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// The authorization of a client, and its origin.
package struct AuthorizationVerdict: Hashable, Sendable {
  package enum Origin: Hashable, Sendable {
    /// A policy file could not be read or parsed; holds the first problem.
    case brokenPolicy(PolicyProblem)
    case brokenStore(DecisionStoreError)
    case lock(PolicyRule)
    case switchedOff
    case decision(Decision)
    /// A default rule of the administrator or of the system image.
    case rule(PolicyRule)
    /// No rule and no decision applies.
    case undecided
  }

  package var authorization: Authorization
  package var origin: Origin
  /// Seconds until the deciding grant expires; `nil` for never.
  package var remainingSeconds: Int64?
  /// The timeout of a request that is pending now.
  package var waiting = Waiting()

  /// The timeout of a pending request, and whether the request is then refused.
  package struct Waiting: Hashable, Sendable {
    /// The timeout in seconds; if it is `nil`, the request waits for as long as the program runs.
    package var timeoutSeconds: Int64?
    package var thenDenies = false
  }

  /// The duration in seconds of temporary full accuracy that a default rule grants on request.
  ///
  /// The value is `nil` if an operator has to decide, or if accuracy is not reduced.
  package var fullAccuracySeconds: Int64? {
    guard case .rule(let rule) = origin, authorization.status.isAuthorized else { return nil }
    return rule.fullAccuracySeconds
  }

  /// Whether only the administrator can change the authorization.
  package var isLocked: Bool { authorization.status == .restricted }
}

extension AuthorizationVerdict.Origin: CustomStringConvertible {
  /// The origin as one line of text, with the file and line of a rule or the number of a decision.
  package var description: String { text { "\($0)" } }

  /// Returns the origin as one line of text, with clients in the notation of `client`.
  package func text(_ client: (ClientSelector) -> String) -> String {
    switch self {
    case .brokenPolicy(let problem): "unreadable policy: \(problem)"
    case .brokenStore(let error): "unreadable answers: \(error)"
    case .lock(let rule), .rule(let rule): "\(rule.place): \(rule.summary(client))"
    case .switchedOff: "location is switched off for the whole board"
    case .decision(let decision): "answer \(decision.id): \(decision.summary(client))"
    case .undecided: "no rule and no answer"
    }
  }
}

extension AuthorizationVerdict.Origin {
  /// The file and line; `nil` if the origin is not in a policy file.
  package var place: PolicyPlace? {
    switch self {
    case .brokenPolicy(let problem): problem.place
    case .lock(let rule), .rule(let rule): rule.place
    case .brokenStore, .switchedOff, .decision, .undecided: nil
    }
  }
}

extension PolicyRule {
  /// The rule as written in a policy file.
  package var summary: String { summary { "\($0)" } }

  /// Returns the rule as written in a policy file, with clients in the notation of `client`.
  package func summary(_ client: (ClientSelector) -> String) -> String {
    let selector = client(selector)
    return switch verb {
    case .lock: "lock \(selector)"
    case .deny: "deny \(selector)"
    case .allow(let level, let accuracy):
      "allow \(selector)" + (level == .whenInUse ? " level=when-in-use" : "")
        + (accuracy == .reducedAccuracy ? " accuracy=reduced" : "")
        + (fullAccuracySeconds.map { " full=\(DurationText.text($0, units: 4))" } ?? "")
    case .ask(let timeout, let denies):
      "ask \(selector)" + (timeout.map { " timeout=\(DurationText.text($0, units: 4))" } ?? "")
        + (denies ? " then=deny" : "")
    }
  }
}

extension Decision {
  /// The decision as arguments of `fixcast auth`.
  package var summary: String { summary { "\($0)" } }

  /// Returns the decision as arguments of `fixcast auth`, with clients in the notation of `client`.
  package func summary(_ client: (ClientSelector) -> String) -> String {
    var words = [level == .denied ? "deny" : "allow", client(selector)]
    if level == .always { words.append("--always") }
    if isReduced { words.append("--reduced") }
    if servesOnce { words.append("--once") }
    if refusesAlways { words.append("(upgrade refused)") }
    return words.joined(separator: " ")
  }
}
