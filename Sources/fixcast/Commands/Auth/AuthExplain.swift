// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices
import Positioning

/// `fixcast auth explain`: shows a client's access, and the rule or answer that determines it.
struct AuthExplain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show a client's access status and the rule or answer that determines it.",
    discussion: """
      Without WHO, explains the access of the user who runs the command. If WHO names a unit and \
      no user, rules that name a user do not apply.

      Examples:
        fixcast auth explain user=pi
      """)

  @Argument(help: "WHO: a user such as pi, uid=1000 or unit=weather.service.")
  var who: [String] = []

  @Flag(name: .long, help: "Explain 'at any time' instead of 'while in use'.")
  var always = false

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  @OptionGroup var options: AuthPathOptions

  func run() throws {
    let context = try AuthContext.forOwnAccess(options)
    let selector =
      try who.isEmpty ? ProcessEvidence().ownIdentity().evidence : context.selector(who)
    guard selector != .everyone else {
      throw CommandFailure.usage("explain takes one client, such as pi or uid=1000")
    }
    let request: AuthorizationRequest? = always ? .always : nil
    if let daemonExplanation = try AuthExplanation(ofDaemonOn: selector, asking: request, context) {
      return try json
        ? context.print(daemonExplanation.object) : context.print(daemonExplanation.lines)
    }
    var evaluation = context.evaluation()
    if Self.isTrusted(selector) { evaluation.base = .authorizedAlways }
    let verdict = evaluation.verdict(
      on: selector.client, asking: request ?? .whenInUse, at: context.now)
    let explanation = AuthExplanation(
      client: selector, name: context.paths.text(selector), authorization: verdict.authorization,
      remainingSeconds: verdict.remainingSeconds, because: Self.because(verdict, context),
      origin: verdict.origin, rows: json ? [] : Self.rows(selector, verdict, context),
      mode: AuthMode.current)
    try json ? context.print(explanation.object) : context.print(explanation.lines)
    try Self.failIfBroken(verdict, context)
  }

  /// Whether the daemon grants the client access by default, as to root in a shell only.
  private static func isTrusted(_ selector: ClientSelector) -> Bool {
    selector.userID == 0 && selector.client.isLogin && AuthMode.current == .enforced
  }

  private static func rows(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ context: AuthContext
  ) -> [[String]] {
    var rows: [[String]] = []
    if case .decision(let decision) = verdict.origin {
      rows.append(["given", decision.grantDescription])
    }
    if verdict.origin == .undecided, let note = expiryNote(selector, context) {
      rows.append(["expired", note])
    }
    if let remaining = fullAccuracySeconds(selector, verdict, context) {
      rows.append(["full accuracy", "on request, \(DurationText.text(remaining)) left"])
    } else if let seconds = verdict.fullAccuracySeconds {
      rows.append(["full accuracy", "on request, for \(DurationText.text(seconds)) each time"])
    }
    if hasAccessOnlyForCommands(selector, verdict, context) {
      rows.append(["commands", "this user's 'fixcast locate' and 'fixcast watch' need no answer"])
    }
    if let remedy = remedy(selector, verdict, context) { rows.append(["change it", remedy]) }
    if let daemonNote = context.daemonNote(for: selector) { rows.append(["note", daemonNote]) }
    return rows
  }

  private static func because(_ verdict: AuthorizationVerdict, _ context: AuthContext) -> String {
    guard verdict.origin == .undecided, verdict.authorization.status.isAuthorized else {
      return verdict.origin.text(context.paths.text)
    }
    return "\(verdict.origin); root in a shell needs no answer"
  }

  /// Returns the note on an expired answer about the client; `nil` if no answer has expired.
  private static func expiryNote(_ selector: ClientSelector, _ context: AuthContext) -> String? {
    guard var ledger = try? context.evaluation().ledger.get() else { return nil }
    ledger.prune(at: context.now)
    return ledger.ended.first { $0.matches(selector.client) }.map { ended in
      ended == .everyone
        ? "too many expired answers to list: every request needs a new one"
        : "the answer for \(context.paths.text(ended)) has expired: the next request needs a new one"
    }
  }

  /// Whether this user's `fixcast` commands get locations, although the user's other programs have
  /// to wait for an operator's answer.
  private static func hasAccessOnlyForCommands(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ context: AuthContext
  ) -> Bool {
    // With a daemon, commands need an operator's answer like any other program.
    guard verdict.origin == .undecided, !verdict.authorization.status.isAuthorized,
      selector.userID != nil, AuthMode.current == .cooperative
    else { return false }
    var evaluation = context.evaluation()
    evaluation.base = .authorizedAlways
    return evaluation.verdict(on: selector.client, asking: .whenInUse, at: context.now)
      .authorization.status.isAuthorized
  }

  /// The remaining seconds of temporary full accuracy; `nil` if the client has none.
  private static func fullAccuracySeconds(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ context: AuthContext
  ) -> Int64? {
    guard verdict.authorization.status.isAuthorized,
      verdict.authorization.accuracy == .reducedAccuracy
    else { return nil }
    return try? context.evaluation().ledger.get().fullAccuracySeconds(
      for: selector.client, purposeKey: nil, at: context.now)
  }

  private static func remedy(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ context: AuthContext
  ) -> String? {
    func command(_ verb: String, _ words: [String]) -> String {
      context.paths.command(["fixcast", "auth", verb] + words)
    }
    switch verdict.origin {
    case .lock(let rule): return "edit \(rule.place)"
    case .brokenPolicy(let problem): return "edit \(problem.place)"
    case .brokenStore: return nil
    case .switchedOff: return command("reset", ["everyone"])
    case .decision, .rule, .undecided:
      let selectorWords = context.paths.words(selector)
      if hasAccessOnlyForCommands(selector, verdict, context) {
        return "programs: \(command("allow", selectorWords)); "
          + "commands: \(command("deny", selectorWords))"
      }
      return command(verdict.authorization.status.isAuthorized ? "deny" : "allow", selectorWords)
    }
  }

  private static func failIfBroken(_ verdict: AuthorizationVerdict, _ context: AuthContext) throws {
    switch verdict.origin {
    case .brokenPolicy(let problem): throw CommandFailure.configuration("\(problem)")
    case .brokenStore(let error): throw context.unreadable(error)
    case .lock, .switchedOff, .decision, .rule, .undecided: break
    }
  }
}

extension Decision {
  /// The user who gave the decision, and the reason.
  fileprivate var grantDescription: String {
    (grantedBy.map { "by \(AuthContext.user($0))" } ?? "by a rule")
      + (reason.map { ": \($0.onOneLine)" } ?? "")
  }
}
