// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LocationServices
import Positioning
internal import SystemSupport

/// `fixcast auth list`: all that has been said.
struct AuthList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List answers and rules.")

  /// A misspelt subcommand of `auth` arrives here, since this one is run where none is named.
  @Argument(help: .hidden)
  var words: [String] = []

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var options: AuthPathOptions

  func run() throws {
    if let word = words.first {
      throw CommandFailure.usage(
        "'\(word.onOneLine)' is no subcommand of 'fixcast auth', and list takes no word; it has "
          + "list, pending, allow, deny, reset and explain")
    }
    let desk = try AuthContext(options)
    let rules = desk.places.folders.read()
    let ledger = try desk.ledger()
    try json
      ? desk.print(Self.objects(ledger, rules, desk)) : desk.print(table(ledger, rules, desk))
    for problem in rules.problems { StandardError.print("fixcast: \(problem)") }
    if !rules.problems.isEmpty {
      throw CommandFailure.configuration("until that is mended nobody may know where the board is")
    }
  }

  private func table(
    _ ledger: DecisionLedger, _ rules: PolicyRules, _ desk: AuthContext
  ) -> [String] {
    var table = TextTable(maxWidth: 40)
    if ledger.isSwitchedOff { table.add(["switch", "off for the whole board"]) }
    for decision in ledger.decisions {
      table.add([
        "answer \(decision.id)",
        decision.summary + (decision.usedBy.map { ", taken by process \($0.process)" } ?? ""),
        decision.ending(at: desk.now),
        decision.grantedBy.map { "by " + AuthContext.user($0) } ?? "by a rule",
        decision.reason?.onOneLine ?? "",
      ])
    }
    for rule in rules.administrator + rules.image {
      table.add(["\(rule.place)", rule.summary])
    }
    for lease in ledger.leases {
      table.add([
        "answer \(lease.id)", "allow \(lease.selector) --full",
        lease.remainingSeconds(at: desk.now).map { DurationText.text($0) + " left" } ?? "over",
        "by " + AuthContext.user(lease.grantedBy), lease.reason?.onOneLine ?? "",
      ])
    }
    for selector in ledger.ended {
      table.add(["over", "\(selector)", Self.ended(selector, desk)])
    }
    // Where rules cannot be read, nothing is said of what they may hold.
    if table.lines.isEmpty, rules.problems.isEmpty {
      table.add([
        "no answers and no rules: what a program asks for waits, and "
          + (AuthMode.current == .cooperative
            ? "whoever runs 'fixcast locate' or 'fixcast watch' is answered at once"
            : "so does 'fixcast locate', but for root in a shell")
      ])
    }
    // Not what programs waited for that have ended.
    var current = ledger
    current.prune(at: desk.now)
    if !current.pending.isEmpty {
      let command = desk.places.command(["fixcast", "auth", "pending"])
      table.add(["waiting", "\(current.pending.count), see: \(command)"])
    }
    return table.lines + ["mode: \(AuthMode.current.text)"]
  }

  /// What it means that an answer is over.
  private static func ended(_ selector: ClientSelector, _ desk: AuthContext) -> String {
    guard selector != .everyone else {
      return "more answers are over than can be remembered: everyone is asked about anew"
    }
    return "asked about anew; forget that there was an answer with: "
      + desk.places.command(["fixcast", "auth", "reset"] + selector.words)
  }

  private static func objects(
    _ ledger: DecisionLedger, _ rules: PolicyRules, _ desk: AuthContext
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
        line.boolean("over", decision.standing(at: desk.now) == .over ? true : nil)
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
          "remaining", lease.remainingSeconds(at: desk.now).map { Int(clamping: $0) } ?? 0)
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
  /// When it ends, in words.
  fileprivate func ending(at now: BootTimestamp) -> String {
    switch standing(at: now) {
    case .holds(nil): "for good"
    case .holds(let seconds?): "\(DurationText.text(seconds)) left"
    case .over: "over"
    case .unclear: "not yet: the clock is behind the answer"
    }
  }
}
