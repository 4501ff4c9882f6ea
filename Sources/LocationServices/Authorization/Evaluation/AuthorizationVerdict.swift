// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// What holds for a client, and why.
package struct AuthorizationVerdict: Hashable, Sendable {
  package enum Origin: Hashable, Sendable {
    /// A policy file cannot be read or understood; the first problem of those there are.
    case brokenPolicy(PolicyProblem)
    case brokenStore(DecisionStoreError)
    case lock(PolicyRule)
    case switchedOff
    case decision(Decision)
    /// A default of the administrator or of an image.
    case rule(PolicyRule)
    /// Nobody has said anything.
    case nobody
  }

  package var authorization: Authorization
  package var origin: Origin
  /// Seconds until the answer that decided runs out; `nil` for never.
  package var remainingSeconds: Int64?
  /// What would happen to a request that is made now and waits.
  package var waiting = Waiting()

  /// How long a request waits for an operator, and what then.
  package struct Waiting: Hashable, Sendable {
    /// Seconds; `nil` for as long as the program runs.
    package var timeoutSeconds: Int64?
    package var thenDenies = false
  }

  /// For how long a default gives full accuracy whenever it is asked for, in seconds; `nil` where an
  /// operator is asked, or where nothing less is granted.
  package var fullAccuracySeconds: Int64? {
    guard case .rule(let rule) = origin, authorization.status.isAuthorized else { return nil }
    return rule.fullAccuracySeconds
  }

  /// Whether only the administrator can change it.
  package var isLocked: Bool { authorization.status == .restricted }
}

extension AuthorizationVerdict.Origin: CustomStringConvertible {
  /// The word and where it stands, in one line.
  package var description: String {
    switch self {
    case .brokenPolicy(let problem): "policy that cannot be read: \(problem)"
    case .brokenStore(let error): "answers that cannot be read: \(error)"
    case .lock(let rule): "\(rule.place): lock \(rule.selector)"
    case .switchedOff: "location is switched off for the whole board"
    case .decision(let decision): "answer \(decision.id): \(decision.summary)"
    case .rule(let rule): "\(rule.place): \(rule.summary)"
    case .nobody: "no rule and no answer"
    }
  }
}

extension AuthorizationVerdict.Origin {
  /// The file and line; `nil` for what stands in no policy file.
  package var place: PolicyPlace? {
    switch self {
    case .brokenPolicy(let problem): problem.place
    case .lock(let rule), .rule(let rule): rule.place
    case .brokenStore, .switchedOff, .decision, .nobody: nil
    }
  }
}

extension PolicyRule {
  /// The rule as it would be written.
  package var summary: String {
    switch verb {
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
  /// The answer in the words of the command that gives it.
  package var summary: String {
    var words = [level == .denied ? "deny" : "allow", "\(selector)"]
    if level == .always { words.append("--always") }
    if isReduced { words.append("--reduced") }
    if servesOnce { words.append("--once") }
    if refusesAlways { words.append("(and no more)") }
    return words.joined(separator: " ")
  }
}
