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
  @OptionGroup var options: AuthPlaces

  func run() throws {
    let desk = try AuthDesk(options)
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
    let (id, isOff) = try desk.update { [decision] ledger in
      ledger.prune(at: desk.now)
      return (ledger.record(decision), ledger.isSwitchedOff)
    }
    guard let id else {
      throw CommandFailure.inputOutput("\(desk.places.store.path): holds too many answers already")
    }
    let verdict = desk.evaluation().verdict(on: selector.client, asking: nil, at: desk.now)
    var event = AuditEvent(.decided, at: desk.now.utcSeconds, client: "\(selector)")
    event.authorization = verdict.authorization
    event.decidedBy = "answer \(id): \(decision.summary)"
    event.reason = words.reason
    desk.log(event)
    try desk.print(lines(selector, isOff: isOff, desk))
  }

  private func allowFullAccuracy(_ selector: ClientSelector, _ desk: AuthDesk) throws {
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
    let id = try desk.update { ledger in
      ledger.prune(at: desk.now)
      return ledger.record(lease)
    }
    guard let id else {
      throw CommandFailure.inputOutput("\(desk.places.store.path): holds too many answers already")
    }
    var event = AuditEvent(.decided, at: desk.now.utcSeconds, client: "\(selector)")
    event.asksFullAccuracy = true
    event.decidedBy = "answer \(id): allow \(selector) --full"
    event.reason = words.reason
    desk.log(event)
    let held = desk.evaluation().verdict(on: selector.client, asking: .always, at: desk.now)
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

  private func lines(_ selector: ClientSelector, isOff: Bool, _ desk: AuthDesk) -> [String] {
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
