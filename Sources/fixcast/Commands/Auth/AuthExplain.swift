// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices
import Positioning

/// `fixcast auth explain`: what holds for a client, and which word decided.
struct AuthExplain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say what holds for a client, and which rule or answer decided.",
    discussion: """
      Without WHO it is about whoever runs it. Where WHO names a unit and no user, rules that \
      name a user do not count.
      """)

  @Argument(help: "WHO: uid=1000, user=pi, unit=weather.service.")
  var who: [String] = []

  @Flag(name: .long, help: "Ask for 'at any time', not only 'while in use'.")
  var always = false

  @Flag(name: .long, help: "Print one JSON object.")
  var json = false

  @OptionGroup var options: AuthPathOptions

  func run() throws {
    let desk = try AuthContext(options)
    let selector = try who.isEmpty ? ProcessEvidence().ownIdentity().evidence : desk.selector(who)
    guard selector != .everyone else {
      throw CommandFailure.usage("explain is about one client, such as uid=1000")
    }
    let request: AuthorizationRequest? = always ? .always : nil
    if let told = try AuthExplanation(ofDaemonOn: selector, asking: request, desk) {
      return try json ? desk.print(told.object) : desk.print(told.lines)
    }
    var evaluation = desk.evaluation()
    if Self.isTrusted(selector) { evaluation.base = .authorizedAlways }
    let verdict = evaluation.verdict(
      on: selector.client, asking: request ?? .whenInUse, at: desk.now)
    let explanation = AuthExplanation(
      client: selector, authorization: verdict.authorization,
      remainingSeconds: verdict.remainingSeconds, because: Self.because(verdict),
      origin: verdict.origin, rows: json ? [] : Self.rows(selector, verdict, desk),
      mode: AuthMode.current)
    try json ? desk.print(explanation.object) : desk.print(explanation.lines)
    try Self.failIfBroken(verdict, desk)
  }

  /// Whether the daemon lets the client know while nobody has said anything, as `fixcast status`
  /// says of it: root in a shell.
  private static func isTrusted(_ selector: ClientSelector) -> Bool {
    selector.userID == 0 && selector.systemUnit == nil && AuthMode.current == .enforced
  }

  private static func rows(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ desk: AuthContext
  ) -> [[String]] {
    var rows: [[String]] = []
    if case .decision(let decision) = verdict.origin { rows.append(["given", decision.giver]) }
    if verdict.origin == .nobody, let ended = ended(selector, desk) {
      rows.append(["over", ended])
    }
    if let left = fullAccuracySeconds(selector, verdict, desk) {
      rows.append(["full accuracy", "when it asks, \(DurationText.text(left)) left"])
    } else if let seconds = verdict.fullAccuracySeconds {
      rows.append(["full accuracy", "when it asks, for \(DurationText.text(seconds)) each time"])
    }
    if isUnspoken(selector, verdict, desk) {
      rows.append(["commands", "'fixcast locate' and 'fixcast watch' of theirs are told at once"])
    }
    if let mend = mend(selector, verdict, desk) { rows.append(["change it", mend]) }
    if let reach = desk.reach(of: selector) { rows.append(["reach", reach]) }
    return rows
  }

  private static func because(_ verdict: AuthorizationVerdict) -> String {
    guard verdict.origin == .nobody, verdict.authorization.status.isAuthorized else {
      return "\(verdict.origin)"
    }
    return "\(verdict.origin), and root in a shell needs none"
  }

  /// An answer about the client that is over.
  private static func ended(_ selector: ClientSelector, _ desk: AuthContext) -> String? {
    guard var ledger = try? desk.evaluation().ledger.get() else { return nil }
    ledger.prune(at: desk.now)
    return ledger.ended.first { $0.matches(selector.client) }.map { ended in
      ended == .everyone
        ? "more answers than can be remembered: everyone is asked about anew"
        : "the answer for \(ended): it is asked about anew"
    }
  }

  /// Whether the client's own commands are told though its programs have to wait.
  private static func isUnspoken(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ desk: AuthContext
  ) -> Bool {
    // The daemon asks an operator about commands as about any other program.
    guard verdict.origin == .nobody, !verdict.authorization.status.isAuthorized,
      selector.userID != nil, AuthMode.current == .cooperative
    else { return false }
    var evaluation = desk.evaluation()
    evaluation.base = .authorizedAlways
    return evaluation.verdict(on: selector.client, asking: .whenInUse, at: desk.now)
      .authorization.status.isAuthorized
  }

  /// For how long reduced accuracy is full for a program that asks.
  private static func fullAccuracySeconds(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ desk: AuthContext
  ) -> Int64? {
    guard verdict.authorization.status.isAuthorized,
      verdict.authorization.accuracy == .reducedAccuracy
    else { return nil }
    return try? desk.evaluation().ledger.get().fullAccuracySeconds(
      for: selector.client, purposeKey: nil, at: desk.now)
  }

  private static func mend(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ desk: AuthContext
  ) -> String? {
    func command(_ verb: String, _ words: [String]) -> String {
      desk.places.command(["fixcast", "auth", verb] + words)
    }
    switch verdict.origin {
    case .lock(let rule): return "edit \(rule.place)"
    case .brokenPolicy(let problem): return "edit \(problem.place)"
    case .brokenStore: return nil
    case .switchedOff: return command("reset", ["everyone"])
    case .decision, .rule, .nobody:
      let words = selector.words
      if isUnspoken(selector, verdict, desk) {
        return "programs: \(command("allow", words)); commands: \(command("deny", words))"
      }
      return command(verdict.authorization.status.isAuthorized ? "deny" : "allow", words)
    }
  }

  private static func failIfBroken(_ verdict: AuthorizationVerdict, _ desk: AuthContext) throws {
    switch verdict.origin {
    case .brokenPolicy(let problem): throw CommandFailure.configuration("\(problem)")
    case .brokenStore(let error): throw desk.unreadable(error)
    case .lock, .switchedOff, .decision, .rule, .nobody: break
    }
  }
}

extension Decision {
  /// Who gave it, and why.
  fileprivate var giver: String {
    (grantedBy.map { "by \(AuthContext.user($0))" } ?? "by a rule")
      + (reason.map { ": \($0.onOneLine)" } ?? "")
  }
}
