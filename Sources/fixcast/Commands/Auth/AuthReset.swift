// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LocationServices
internal import SystemSupport

/// `fixcast auth reset`: forgets an answer.
struct AuthReset: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Forget an answer, so that it is asked for anew.",
    discussion: """
      Requests of WHO that wait are forgotten too. 'reset everyone' switches location on again \
      after 'deny everyone', and forgets no answer.
      """)

  @Argument(help: "WHO, as it was answered: uid=1000, unit=weather.service; or everyone.")
  var who: [String] = []

  @OptionGroup var options: AuthPathOptions

  func run() throws {
    let desk = try AuthContext(options)
    let selector = try desk.selector(who)
    let isSwitch = selector == .everyone
    let hasChanged = try desk.update { ledger in
      guard isSwitch else { return ledger.reset(selector) }
      defer { ledger.isSwitchedOff = false }
      return ledger.isSwitchedOff
    }
    if hasChanged { desk.log(isSwitch ? .switched : .reset, selector) }
    try desk.print([
      isSwitch
        ? Self.on(hasChanged)
        : hasChanged ? "the answer for \(selector) is forgotten" : nothing(selector, desk)
    ])
  }

  private static func on(_ hasChanged: Bool) -> String {
    hasChanged ? "location is switched on for the whole board" : "location was switched on already"
  }

  /// That there was nothing to forget, and what there is instead.
  private func nothing(_ selector: ClientSelector, _ desk: AuthContext) throws -> String {
    let ledger = try desk.ledger()
    let known = ledger.decisions.map(\.selector) + ledger.leases.map(\.selector) + ledger.ended
    let near = known.first { $0 != .everyone && ($0.covers(selector) || selector.covers($0)) }
    let start = "there is no answer for exactly \(selector)"
    guard let near else {
      return "\(start); all there are: " + desk.places.command(["fixcast", "auth", "list"])
    }
    return "\(start), but there is for \(near); forget that with: "
      + desk.places.command(["fixcast", "auth", "reset"] + near.words)
  }
}
