// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices

/// `fixcast auth allow`: lets a program know where the board is.
struct AuthAllow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow",
    abstract: "Let a user's programs or a unit know where the board is.",
    discussion: "Takes the place of an earlier answer for the same WHO.")

  @Argument(help: "WHO: uid=1000, user=pi, unit=weather.service, app=NAME; all must fit.")
  var who: [String]

  @Flag(name: .long, help: "At any time, not only while in use.")
  var always = false

  @Flag(name: .long, help: "To about five kilometres only.")
  var reduced = false

  @Flag(name: .long, help: "One program, once.")
  var once = false

  @OptionGroup var words: AuthWords
  @OptionGroup var options: AuthPlaces

  func run() throws {
    let desk = AuthDesk(options)
    let selector = try desk.selector(who)
    guard selector != .everyone else {
      throw CommandFailure.usage(
        "an answer is for somebody; to let everyone in, write 'allow everyone' into a file in "
          + "\(desk.places.folders.administrator), or undo 'deny everyone' with: "
          + desk.places.command(["fixcast", "auth", "reset", "everyone"]))
    }
    try desk.refuseIfLocked(selector)
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

  private func lines(_ selector: ClientSelector, isOff: Bool, _ desk: AuthDesk) -> [String] {
    let ends = words.duration.map { ", for \($0)" } ?? ""
    var lines = [
      "\(selector) may know where the board is "
        + (always ? "at any time" : "while in use") + (reduced ? ", to about 5 km" : "")
        + (once ? ", once" : "") + ends
    ]
    if selector.isSelfDeclared {
      lines.append(
        "note: an app's name is its own word and grants nothing by itself; this is the most it "
          + "gets of what its user or unit is allowed")
    }
    if isOff {
      lines.append(
        "note: location is switched off for the whole board; switch it on with: "
          + desk.places.command(["fixcast", "auth", "reset", "everyone"]))
    }
    return lines
  }
}
