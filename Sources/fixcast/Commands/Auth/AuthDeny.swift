// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices
internal import Positioning
internal import SystemSupport

/// `fixcast auth deny`: refuses, revokes, or switches location off.
struct AuthDeny: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny",
    abstract: "Refuse a request, take a grant away, or switch location off.",
    discussion: """
      Takes the place of an earlier answer for the same WHO. 'deny everyone' switches location \
      off for the whole board until 'reset everyone'; answers are kept.
      """)

  @Argument(help: "WHO: uid=1000, user=pi, unit=weather.service; or everyone.")
  var who: [String] = []

  @Flag(name: .long, help: "Refuse only to widen 'while in use' to 'at any time'.")
  var always = false

  @Flag(name: .long, help: "Refuse or end full accuracy for a while, and nothing else.")
  var full = false

  @OptionGroup var words: AuthWords
  @OptionGroup var options: AuthPlaces

  func run() throws {
    let desk = try AuthDesk(options)
    let selector = try desk.selector(who)
    if full { return try refuseFullAccuracy(selector, desk) }
    if selector == .everyone { return try switchOff(desk) }
    try desk.refuseIfLocked(selector)
    let decision = always ? try narrowed(selector, desk) : try refusal(selector, desk)
    let id = try desk.update { ledger in
      ledger.prune(at: desk.now)
      return ledger.record(decision)
    }
    guard let id else {
      throw CommandFailure.inputOutput("\(desk.places.store.path): holds too many answers already")
    }
    var event = AuditEvent(.decided, at: desk.now.utcSeconds, client: "\(selector)")
    event.authorization = Authorization(always ? .authorizedWhenInUse : .denied)
    event.decidedBy = "answer \(id): \(decision.summary)"
    event.reason = words.reason
    desk.log(event)
    let ends = words.duration.map { ", for \($0)" } ?? ""
    try desk.print(
      [
        always
          ? "\(selector) may know where the board is while in use only"
          : "\(selector) may not know where the board is\(ends)"
      ] + (desk.reach(of: selector).map { ["note: \($0)"] } ?? []))
  }

  private func refuseFullAccuracy(_ selector: ClientSelector, _ desk: AuthDesk) throws {
    guard !always, words.duration == nil else {
      throw CommandFailure.usage("--full takes neither --always nor --for")
    }
    let hasChanged = try desk.update { $0.refuseFullAccuracy(selector) }
    var event = AuditEvent(.decided, at: desk.now.utcSeconds, client: "\(selector)")
    event.asksFullAccuracy = true
    event.decidedBy = "deny \(selector) --full"
    event.reason = words.reason
    if hasChanged { desk.log(event) }
    var lines = [
      hasChanged
        ? "\(selector) has no full accuracy for a while"
        : "\(selector) has asked for no full accuracy and was given none"
    ]
    let verdict = desk.evaluation().verdict(on: selector.client, asking: .always, at: desk.now)
    if verdict.fullAccuracySeconds != nil {
      lines.append("note: it gets it again when it asks, by \(verdict.origin)")
    }
    try desk.print(lines)
  }

  private func refusal(_ selector: ClientSelector, _ desk: AuthDesk) throws -> Decision {
    Decision(
      selector: selector, level: .denied, created: desk.now,
      validForSeconds: try words.seconds(), grantedBy: getuid(), reason: words.reason)
  }

  /// What is granted now, and no more.
  private func narrowed(_ selector: ClientSelector, _ desk: AuthDesk) throws -> Decision {
    guard words.duration == nil else {
      throw CommandFailure.usage(
        "--always takes no --for: what is kept ends when it was to end anyway")
    }
    let verdict = desk.evaluation().verdict(on: selector.client, asking: nil, at: desk.now)
    guard case .decision(var decision) = verdict.origin, decision.level != .denied else {
      throw CommandFailure.usage(
        "\(selector) has no grant to be kept; refuse it as a whole with: "
          + desk.places.command(["fixcast", "auth", "deny"] + selector.words))
    }
    decision.selector = selector
    decision.level = .whenInUse
    decision.refusesAlways = true
    decision.grantedBy = getuid()
    decision.reason = words.reason ?? decision.reason
    return decision
  }

  private func switchOff(_ desk: AuthDesk) throws {
    guard !always, words.duration == nil else {
      throw CommandFailure.usage("'deny everyone' takes neither --always nor --for")
    }
    let wasOff = try desk.update { ledger in
      defer { ledger.isSwitchedOff = true }
      return ledger.isSwitchedOff
    }
    var event = AuditEvent(.switched, at: desk.now.utcSeconds, client: "everyone")
    event.authorization = Authorization(.denied)
    event.reason = words.reason
    if !wasOff { desk.log(event) }
    try desk.print([
      "location is switched off for the whole board; switch it on with: "
        + desk.places.command(["fixcast", "auth", "reset", "everyone"])
    ])
  }
}
