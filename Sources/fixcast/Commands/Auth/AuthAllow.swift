// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices
internal import Positioning
internal import SystemSupport

/// `fixcast auth allow`: grants access to locations.
struct AuthAllow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Let a user's programs or a unit know where the board is.",
    discussion: """
      Replaces an earlier answer for the same WHO. --full changes no answer: a program with \
      reduced accuracy gets full accuracy on request until the time of --for has passed or the \
      program's grant has expired.

      Examples:
        sudo fixcast auth allow user=pi
        sudo fixcast auth allow unit=weather.service --reduced
        sudo fixcast auth allow user=pi --full --for 10m
      """)

  @Argument(
    help: "WHO: a user such as pi, uid=1000 or unit=weather.service; several must all match.")
  var who: [String] = []

  @Flag(name: .long, help: "Allow access at any time, not only while in use.")
  var always = false

  @Flag(name: .long, help: "Reduce accuracy to about five kilometres.")
  var reduced = false

  @Flag(name: .long, help: "Allow one program, once.")
  var once = false

  @Flag(name: .long, help: "Give a program with reduced accuracy full accuracy; requires --for.")
  var full = false

  @OptionGroup var decisionOptions: AuthDecisionOptions
  @OptionGroup var options: AuthPathOptions

  func run() throws {
    let context = try AuthContext(options)
    let selector = try context.selector(who)
    guard selector != .everyone else {
      throw CommandFailure.usage(
        "an answer is for one user or unit; to allow everyone, write 'allow everyone' into a file "
          + "in \(context.paths.folders.administrator), or undo 'deny everyone' with: "
          + context.paths.command(["fixcast", "auth", "reset", "everyone"]))
    }
    try context.refuseIfLocked(selector)
    if full { return try allowFullAccuracy(selector, context) }
    var decision = Decision(
      selector: selector, level: always ? .always : .whenInUse, created: context.now,
      validForSeconds: try decisionOptions.seconds(), grantedBy: getuid(),
      reason: decisionOptions.reason)
    decision.isReduced = reduced
    decision.servesOnce = once
    var isOff = false
    let id = try context.record { ledger in
      isOff = ledger.isSwitchedOff
      return ledger.record(decision)
    }
    context.log(
      .decided, selector, context.verdict(on: selector).authorization,
      by: "answer \(id): \(decision.summary)", reason: decisionOptions.reason)
    try context.print(lines(selector, isOff: isOff, context))
  }

  private func allowFullAccuracy(_ selector: ClientSelector, _ context: AuthContext) throws {
    guard !always, !reduced, !once else {
      throw CommandFailure.usage("--full can be combined with --for and --reason only")
    }
    guard let seconds = try decisionOptions.seconds() else {
      throw CommandFailure.usage(
        "--full requires --for, such as --for 10m; for permanent full accuracy omit --reduced")
    }
    let lease = FullAccuracyLease(
      selector: selector, created: context.now, validForSeconds: seconds, grantedBy: getuid(),
      reason: decisionOptions.reason)
    let id = try context.record { $0.record(lease) }
    context.log(
      .decided, selector, isFullAccuracy: true, by: "answer \(id): allow \(selector) --full",
      reason: decisionOptions.reason)
    let verdict = context.verdict(on: selector, asking: .always)
    let name = context.paths.text(selector)
    var lines = [
      "\(name) gets full accuracy on request for the next \(DurationText.text(seconds))"
    ]
    if let daemonNote = context.daemonNote(for: selector) { lines.append("note: \(daemonNote)") }
    if verdict.authorization.accuracy == .fullAccuracy {
      lines.append(
        "note: this has no effect at present, since \(name) has no grant of reduced accuracy "
          + "(\(verdict.authorization.status))")
    }
    try context.print(lines)
  }

  private func lines(_ selector: ClientSelector, isOff: Bool, _ context: AuthContext) -> [String] {
    let ends = decisionOptions.duration.map { ", for \($0)" } ?? ""
    var lines = [
      "\(context.paths.text(selector)) may know where the board is "
        + (always ? "at any time" : "while in use") + (reduced ? ", to about 5 km" : "")
        + (once ? ", once" : "") + ends
    ]
    if let daemonNote = context.daemonNote(for: selector) { lines.append("note: \(daemonNote)") }
    if isOff {
      lines.append(
        "note: location is switched off for the whole board; switch it on with: "
          + context.paths.command(["fixcast", "auth", "reset", "everyone"]))
    }
    return lines
  }
}
