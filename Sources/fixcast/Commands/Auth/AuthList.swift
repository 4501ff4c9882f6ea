// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LocationServices
import Positioning
internal import SystemSupport

/// `fixcast auth list`: all answers and rules.
struct AuthList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List answers and rules.")

  /// A misspelt subcommand of `auth`, passed to `list` because `list` is the default.
  @Argument(help: .hidden)
  var words: [String] = []

  @Flag(name: .long, help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var options: AuthPathOptions

  func run() throws {
    if let word = words.first {
      throw CommandFailure.usage(
        "'\(word.onOneLine)' is not a subcommand of 'fixcast auth' (list, pending, allow, deny, "
          + "reset, explain), and list takes no arguments")
    }
    let context = try AuthContext(options)
    let rules = context.paths.folders.read()
    let ledger = try context.ledger()
    try json
      ? context.print(Self.objects(ledger, rules, context))
      : context.print(table(ledger, rules, context))
    for problem in rules.problems { StandardError.print("fixcast: \(problem)") }
    if !rules.problems.isEmpty {
      throw CommandFailure.configuration("invalid rules deny access to everyone; fix them first")
    }
  }

  private func table(
    _ ledger: DecisionLedger, _ rules: PolicyRules, _ context: AuthContext
  ) -> [String] {
    var table = TextTable(maxWidth: 40)
    if ledger.isSwitchedOff { table.add(["switch", "off for the whole board"]) }
    for decision in ledger.decisions {
      table.add([
        "answer \(decision.id)",
        decision.summary(context.paths.text)
          + (decision.usedBy.map { ", used by process \($0.process)" } ?? ""),
        decision.ending(at: context.now),
        decision.grantedBy.map { "by " + AuthContext.user($0) } ?? "by a rule",
        decision.reason?.onOneLine ?? "",
      ])
    }
    for rule in rules.administrator + rules.image {
      table.add(["\(rule.place)", rule.summary(context.paths.text)])
    }
    for lease in ledger.leases {
      table.add([
        "answer \(lease.id)", "allow \(context.paths.text(lease.selector)) --full",
        lease.remainingSeconds(at: context.now).map { DurationText.text($0) + " left" }
          ?? "expired",
        "by " + AuthContext.user(lease.grantedBy), lease.reason?.onOneLine ?? "",
      ])
    }
    for selector in ledger.ended {
      table.add(["expired", context.paths.text(selector), Self.expiryNote(selector, context)])
    }
    // If rules cannot be read, the list may be incomplete, so the message could be wrong.
    if table.lines.isEmpty, rules.problems.isEmpty {
      table.add([
        "no answers and no rules: a program's request waits for an operator; "
          + (AuthMode.current == .cooperative
            ? "the commands of the user who owns the answers need none"
            : "so does 'fixcast locate', except for root in a shell")
      ])
    }
    // Omits requests of programs that have ended.
    var current = ledger
    current.prune(at: context.now)
    if !current.pending.isEmpty {
      let command = context.paths.command(["fixcast", "auth", "pending"])
      table.add(["waiting", "\(current.pending.count), see: \(command)"])
    }
    return table.lines + ["mode: \(AuthMode.current.text)"]
  }

  /// The note on an expired answer.
  private static func expiryNote(_ selector: ClientSelector, _ context: AuthContext) -> String {
    guard selector != .everyone else {
      return "too many expired answers to list: every request needs a new one"
    }
    return "the next request needs a new answer; remove the expired one with: "
      + context.paths.command(["fixcast", "auth", "reset"] + context.paths.words(selector))
  }

  private static func objects(
    _ ledger: DecisionLedger, _ rules: PolicyRules, _ context: AuthContext
  ) -> [UInt8] {
    var line = JSONLine()
    line.object("AUTHMODE") { line in
      line.string("mode", AuthMode.current.rawValue)
      line.boolean("switchedOff", ledger.isSwitchedOff)
    }
    for decision in ledger.decisions {
      line.object("AUTHANSWER") { line in
        line.integer("id", Int(clamping: decision.id))
        line.string("client", "\(decision.selector)")
        line.string("level", decision.level.rawValue)
        line.string("accuracy", decision.isReduced ? "reduced" : "full")
        line.boolean("once", decision.servesOnce)
        line.time("time", UTCTime(secondsSince1970: decision.created.utcSeconds))
        line.time("until", decision.expiresUTCSeconds.map { UTCTime(secondsSince1970: $0) })
        line.boolean("over", decision.validity(at: context.now) == .over ? true : nil)
        line.integer("uid", decision.grantedBy.map(Int.init))
        line.string("reason", decision.reason)
        line.string("purpose", decision.purpose)
      }
    }
    for lease in ledger.leases {
      line.object("AUTHFULL") { line in
        line.integer("id", Int(clamping: lease.id))
        line.string("client", "\(lease.selector)")
        line.time("time", UTCTime(secondsSince1970: lease.created.utcSeconds))
        line.integer(
          "remaining", lease.remainingSeconds(at: context.now).map { Int(clamping: $0) } ?? 0)
        line.integer("uid", Int(lease.grantedBy))
        line.string("reason", lease.reason)
      }
    }
    for selector in ledger.ended {
      line.object("AUTHENDED") { line in
        line.string("client", "\(selector)")
      }
    }
    for rule in rules.administrator + rules.image {
      line.object("AUTHRULE") { line in
        line.string("rule", rule.summary)
        line.string("file", rule.place.file)
        line.integer("line", rule.place.line)
      }
    }
    return line.bytes
  }
}

extension Decision {
  /// The remaining validity, as text.
  fileprivate func ending(at now: BootTimestamp) -> String {
    switch validity(at: now) {
    case .holds(nil): "permanent"
    case .holds(let seconds?): "\(DurationText.text(seconds)) left"
    case .over: "expired"
    case .unclear: "not yet valid: the system clock is before the time of the answer"
    }
  }
}
