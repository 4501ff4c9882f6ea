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

  @OptionGroup var options: AuthPlaces

  func run() throws {
    let desk = try AuthDesk(options)
    let selector = try who.isEmpty ? ownSelector : desk.selector(who)
    guard selector != .everyone else {
      throw CommandFailure.usage("explain is about one client, such as uid=1000")
    }
    if let word = try DaemonWord(on: selector, asking: always ? .always : nil, desk) {
      return try json ? desk.print(word.object) : desk.print(word.lines)
    }
    var evaluation = desk.evaluation()
    if Self.isTrusted(selector) { evaluation.base = .authorizedAlways }
    let verdict = evaluation.verdict(
      on: selector.client, asking: always ? .always : .whenInUse, at: desk.now)
    try json
      ? desk.print(Self.object(selector, verdict, desk))
      : desk.print(Self.lines(selector, verdict, desk))
    try Self.failIfBroken(verdict, desk)
  }

  /// Whether the daemon lets the client know while nobody has said anything, as `fixcast status`
  /// says of it: root in a shell.
  private static func isTrusted(_ selector: ClientSelector) -> Bool {
    selector.userID == 0 && selector.systemUnit == nil && AuthMode.current == .enforced
  }

  private var ownSelector: ClientSelector {
    let own = ProcessEvidence().ownIdentity()
    return ClientSelector(userID: own.userID, systemUnit: own.systemUnit)
  }

  private static func lines(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ desk: AuthDesk
  ) -> [String] {
    let accuracy =
      verdict.authorization.accuracy == .reducedAccuracy ? ", to about 5 km" : ""
    let ends = verdict.remainingSeconds.map { ", \(DurationText.text($0)) left" } ?? ""
    var table = TextTable()
    table.add(["client", "\(selector)"])
    table.add(["status", "\(verdict.authorization.status)\(accuracy)\(ends)"])
    table.add(["because", because(selector, verdict)])
    if case .decision(let decision) = verdict.origin { table.add(["given", decision.giver]) }
    if verdict.origin == .nobody, let ended = ended(selector, desk) {
      table.add(["over", ended])
    }
    if let left = fullAccuracySeconds(selector, verdict, desk) {
      table.add(["full accuracy", "when it asks, \(DurationText.text(left)) left"])
    } else if let seconds = verdict.fullAccuracySeconds {
      table.add(["full accuracy", "when it asks, for \(DurationText.text(seconds)) each time"])
    }
    if isUnspoken(selector, verdict, desk) {
      table.add(["commands", "'fixcast locate' and 'fixcast watch' of theirs are told at once"])
    }
    if let mend = mend(selector, verdict, desk) { table.add(["change it", mend]) }
    if let reach = desk.reach(of: selector) { table.add(["reach", reach]) }
    table.add(["mode", AuthMode.current.text])
    return table.lines
  }

  private static func because(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict
  ) -> String {
    guard verdict.origin == .nobody, verdict.authorization.status.isAuthorized else {
      return "\(verdict.origin)"
    }
    return "\(verdict.origin), and root in a shell needs none"
  }

  /// An answer about the client that is over.
  private static func ended(_ selector: ClientSelector, _ desk: AuthDesk) -> String? {
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
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ desk: AuthDesk
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
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ desk: AuthDesk
  ) -> Int64? {
    guard verdict.authorization.status.isAuthorized,
      verdict.authorization.accuracy == .reducedAccuracy
    else { return nil }
    return try? desk.evaluation().ledger.get().fullAccuracySeconds(
      for: selector.client, purposeKey: nil, at: desk.now)
  }

  private static func mend(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ desk: AuthDesk
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

  private static func object(
    _ selector: ClientSelector, _ verdict: AuthorizationVerdict, _ desk: AuthDesk
  ) -> [UInt8] {
    var line = JSONLine()
    line.beginObject()
    line.constant("class", "AUTH")
    line.string("client", "\(selector)")
    line.string("status", "\(verdict.authorization.status)")
    line.string(
      "accuracy", verdict.authorization.accuracy == .reducedAccuracy ? "reduced" : "full")
    line.integer("remaining", verdict.remainingSeconds.map { Int($0) })
    line.string("by", "\(verdict.origin)")
    if let place = verdict.origin.place {
      line.string("file", place.file)
      line.integer("line", place.line)
    }
    line.string("mode", AuthMode.current.rawValue)
    line.endObject()
    line.endLine()
    return line.bytes
  }

  private static func failIfBroken(_ verdict: AuthorizationVerdict, _ desk: AuthDesk) throws {
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
    (grantedBy.map { "by \(AuthDesk.user($0))" } ?? "by a rule")
      + (reason.map { ": \($0.onOneLine)" } ?? "")
  }
}
