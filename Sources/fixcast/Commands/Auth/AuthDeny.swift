// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices
internal import Positioning
internal import SystemSupport

/// `fixcast auth deny`: refuses or revokes access, or switches location off.
struct AuthDeny: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny",
    abstract: "Refuse a request, revoke a grant, or switch location off.",
    discussion: """
      Replaces an earlier answer for the same WHO. 'deny everyone' switches location off for the \
      whole board until 'reset everyone'; answers are kept.

      Examples:
        sudo fixcast auth deny uid=1001
        sudo fixcast auth deny everyone --for 2h
      """)

  @Argument(help: "WHO: a user such as pi, uid=1000 or unit=weather.service; or everyone.")
  var who: [String] = []

  @Flag(name: .long, help: "Refuse 'at any time' and keep a grant of 'while in use'.")
  var always = false

  @Flag(name: .long, help: "Refuse or end temporary full accuracy; change nothing else.")
  var full = false

  @OptionGroup var decisionOptions: AuthDecisionOptions
  @OptionGroup var options: AuthPathOptions

  func run() throws {
    let context = try AuthContext(options)
    let selector = try context.selector(who)
    if full { return try refuseFullAccuracy(selector, context) }
    if selector == .everyone { return try switchOff(context) }
    try context.refuseIfLocked(selector)
    let decision = always ? try limitedGrant(selector, context) : try denial(selector, context)
    let id = try context.record { $0.record(decision) }
    context.log(
      .decided, selector, Authorization(always ? .authorizedWhenInUse : .denied),
      by: "answer \(id): \(decision.summary)", reason: decisionOptions.reason)
    let ends = decisionOptions.duration.map { ", for \($0)" } ?? ""
    let name = context.paths.text(selector)
    try context.print(
      [
        always
          ? "\(name) may know where the board is only while in use"
          : "\(name) may not know where the board is\(ends)"
      ] + (context.daemonNote(for: selector).map { ["note: \($0)"] } ?? []))
  }

  private func refuseFullAccuracy(_ selector: ClientSelector, _ context: AuthContext) throws {
    guard !always, decisionOptions.duration == nil else {
      throw CommandFailure.usage("--full takes neither --always nor --for")
    }
    let hasChanged = try context.update { $0.refuseFullAccuracy(selector) }
    if hasChanged {
      context.log(
        .decided, selector, isFullAccuracy: true, by: "deny \(selector) --full",
        reason: decisionOptions.reason)
    }
    let name = context.paths.text(selector)
    var lines = [
      hasChanged
        ? "\(name) has no temporary full accuracy"
        : "\(name) has neither requested nor been granted full accuracy"
    ]
    let verdict = context.verdict(on: selector, asking: .always)
    if verdict.fullAccuracySeconds != nil {
      lines.append(
        "note: \(name) still gets full accuracy on request, by "
          + verdict.origin.text(context.paths.text))
    }
    try context.print(lines)
  }

  private func denial(_ selector: ClientSelector, _ context: AuthContext) throws -> Decision {
    Decision(
      selector: selector, level: .denied, created: context.now,
      validForSeconds: try decisionOptions.seconds(), grantedBy: getuid(),
      reason: decisionOptions.reason)
  }

  /// Returns the current grant, limited to "while in use".
  private func limitedGrant(_ selector: ClientSelector, _ context: AuthContext) throws -> Decision {
    guard decisionOptions.duration == nil else {
      throw CommandFailure.usage(
        "--always and --for cannot be combined: the grant that is kept ends at its own time")
    }
    guard case .decision(var decision) = context.verdict(on: selector).origin,
      decision.level != .denied
    else {
      throw CommandFailure.usage(
        "\(context.paths.text(selector)) has no grant to limit; deny all access with: "
          + context.paths.command(["fixcast", "auth", "deny"] + context.paths.words(selector)))
    }
    decision.selector = selector
    decision.level = .whenInUse
    decision.refusesAlways = true
    decision.grantedBy = getuid()
    decision.reason = decisionOptions.reason ?? decision.reason
    return decision
  }

  private func switchOff(_ context: AuthContext) throws {
    guard !always, decisionOptions.duration == nil else {
      throw CommandFailure.usage("'deny everyone' takes neither --always nor --for")
    }
    let wasOff = try context.update { ledger in
      defer { ledger.isSwitchedOff = true }
      return ledger.isSwitchedOff
    }
    if !wasOff {
      context.log(.switched, .everyone, Authorization(.denied), reason: decisionOptions.reason)
    }
    try context.print([
      "location is switched off for the whole board; switch it on with: "
        + context.paths.command(["fixcast", "auth", "reset", "everyone"])
    ])
  }
}
