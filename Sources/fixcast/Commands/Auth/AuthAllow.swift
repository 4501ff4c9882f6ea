// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices
internal import Positioning
internal import SystemSupport

/// `fixcast auth allow`: lets a program know where the board is.
struct AuthAllow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Let a user's programs or a unit know where the board is.",
    discussion: """
      Takes the place of an earlier answer for the same WHO. --full changes no answer: a program \
      of reduced accuracy that asks for full accuracy gets it until --for is over, or its grant is.
      """)

  @Argument(help: "WHO: uid=1000, user=pi, unit=weather.service; all must fit.")
  var who: [String] = []

  @Flag(name: .long, help: "At any time, not only while in use.")
  var always = false

  @Flag(name: .long, help: "To about five kilometres only.")
  var reduced = false

  @Flag(name: .long, help: "One program, once.")
  var once = false

  @Flag(name: .long, help: "Full accuracy for a while, where it is reduced; takes --for.")
  var full = false

  @OptionGroup var words: AuthWords
  @OptionGroup var options: AuthPathOptions

  func run() throws {
    let desk = try AuthContext(options)
    let selector = try desk.selector(who)
    guard selector != .everyone else {
      throw CommandFailure.usage(
        "an answer is for somebody; to let everyone in, write 'allow everyone' into a file in "
          + "\(desk.places.folders.administrator), or undo 'deny everyone' with: "
          + desk.places.command(["fixcast", "auth", "reset", "everyone"]))
    }
    try desk.refuseIfLocked(selector)
    if full { return try allowFullAccuracy(selector, desk) }
    var decision = Decision(
      selector: selector, level: always ? .always : .whenInUse, created: desk.now,
      validForSeconds: try words.seconds(), grantedBy: getuid(), reason: words.reason)
    decision.isReduced = reduced
    decision.servesOnce = once
    var isOff = false
    let id = try desk.record { ledger in
      isOff = ledger.isSwitchedOff
      return ledger.record(decision)
    }
    desk.log(
      .decided, selector, desk.verdict(on: selector).authorization,
      by: "answer \(id): \(decision.summary)", reason: words.reason)
    try desk.print(lines(selector, isOff: isOff, desk))
  }

  private func allowFullAccuracy(_ selector: ClientSelector, _ desk: AuthContext) throws {
    guard !always, !reduced, !once else {
      throw CommandFailure.usage("--full takes --for and --reason, no other word")
    }
    guard let seconds = try words.seconds() else {
      throw CommandFailure.usage(
        "--full is for a while: add such as --for 10m; for good it is 'allow' without --reduced")
    }
    let lease = FullAccuracyLease(
      selector: selector, created: desk.now, validForSeconds: seconds, grantedBy: getuid(),
      reason: words.reason)
    let id = try desk.record { $0.record(lease) }
    desk.log(
      .decided, selector, isFullAccuracy: true, by: "answer \(id): allow \(selector) --full",
      reason: words.reason)
    let held = desk.verdict(on: selector, asking: .always)
    var lines = [
      "\(selector) gets full accuracy when it asks, for \(DurationText.text(seconds)) from now"
    ]
    if let reach = desk.reach(of: selector) { lines.append("note: \(reach)") }
    if held.authorization.accuracy == .fullAccuracy {
      lines.append(
        "note: it changes nothing at present, since \(selector) has no grant of reduced accuracy "
          + "(\(held.authorization.status))")
    }
    try desk.print(lines)
  }

  private func lines(_ selector: ClientSelector, isOff: Bool, _ desk: AuthContext) -> [String] {
    let ends = words.duration.map { ", for \($0)" } ?? ""
    var lines = [
      "\(selector) may know where the board is "
        + (always ? "at any time" : "while in use") + (reduced ? ", to about 5 km" : "")
        + (once ? ", once" : "") + ends
    ]
    if let reach = desk.reach(of: selector) { lines.append("note: \(reach)") }
    if isOff {
      lines.append(
        "note: location is switched off for the whole board; switch it on with: "
          + desk.places.command(["fixcast", "auth", "reset", "everyone"]))
    }
    return lines
  }
}
