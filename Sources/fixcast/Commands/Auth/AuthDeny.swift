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
  @OptionGroup var options: AuthPathOptions

  func run() throws {
    let desk = try AuthContext(options)
    let selector = try desk.selector(who)
    if full { return try refuseFullAccuracy(selector, desk) }
    if selector == .everyone { return try switchOff(desk) }
    try desk.refuseIfLocked(selector)
    let decision = always ? try narrowed(selector, desk) : try refusal(selector, desk)
    let id = try desk.record { $0.record(decision) }
    desk.log(
      .decided, selector, Authorization(always ? .authorizedWhenInUse : .denied),
      by: "answer \(id): \(decision.summary)", reason: words.reason)
    let ends = words.duration.map { ", for \($0)" } ?? ""
    try desk.print(
      [
        always
          ? "\(selector) may know where the board is while in use only"
          : "\(selector) may not know where the board is\(ends)"
      ] + (desk.reach(of: selector).map { ["note: \($0)"] } ?? []))
  }

  private func refuseFullAccuracy(_ selector: ClientSelector, _ desk: AuthContext) throws {
    guard !always, words.duration == nil else {
      throw CommandFailure.usage("--full takes neither --always nor --for")
    }
    let hasChanged = try desk.update { $0.refuseFullAccuracy(selector) }
    if hasChanged {
      desk.log(
        .decided, selector, isFullAccuracy: true, by: "deny \(selector) --full",
        reason: words.reason)
    }
    var lines = [
      hasChanged
        ? "\(selector) has no full accuracy for a while"
        : "\(selector) has asked for no full accuracy and was given none"
    ]
    let verdict = desk.verdict(on: selector, asking: .always)
    if verdict.fullAccuracySeconds != nil {
      lines.append("note: it gets it again when it asks, by \(verdict.origin)")
    }
    try desk.print(lines)
  }

  private func refusal(_ selector: ClientSelector, _ desk: AuthContext) throws -> Decision {
    Decision(
      selector: selector, level: .denied, created: desk.now,
      validForSeconds: try words.seconds(), grantedBy: getuid(), reason: words.reason)
  }

  /// What is granted now, and no more.
  private func narrowed(_ selector: ClientSelector, _ desk: AuthContext) throws -> Decision {
    guard words.duration == nil else {
      throw CommandFailure.usage(
        "--always takes no --for: what is kept ends when it was to end anyway")
    }
    guard case .decision(var decision) = desk.verdict(on: selector).origin,
      decision.level != .denied
    else {
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

  private func switchOff(_ desk: AuthContext) throws {
    guard !always, words.duration == nil else {
      throw CommandFailure.usage("'deny everyone' takes neither --always nor --for")
    }
    let wasOff = try desk.update { ledger in
      defer { ledger.isSwitchedOff = true }
      return ledger.isSwitchedOff
    }
    if !wasOff { desk.log(.switched, .everyone, Authorization(.denied), reason: words.reason) }
    try desk.print([
      "location is switched off for the whole board; switch it on with: "
        + desk.places.command(["fixcast", "auth", "reset", "everyone"])
    ])
  }
}
