// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LocationServices

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
  var who: [String]

  @OptionGroup var options: AuthPlaces

  func run() throws {
    let desk = AuthDesk(options)
    let selector = try desk.selector(who)
    let isSwitch = selector == .everyone
    let hasChanged = try desk.update { ledger in
      guard isSwitch else { return ledger.reset(selector) }
      defer { ledger.isSwitchedOff = false }
      return ledger.isSwitchedOff
    }
    if hasChanged {
      desk.log(
        AuditEvent(
          isSwitch ? .switched : .reset, at: desk.now.utcSeconds, client: "\(selector)"))
    }
    try desk.print([isSwitch ? Self.on(hasChanged) : Self.forgotten(selector, hasChanged)])
  }

  private static func on(_ hasChanged: Bool) -> String {
    hasChanged ? "location is switched on for the whole board" : "location was switched on already"
  }

  private static func forgotten(_ selector: ClientSelector, _ hasChanged: Bool) -> String {
    hasChanged
      ? "the answer for \(selector) is forgotten"
      : "there is no answer for exactly \(selector); see: fixcast auth list"
  }
}
