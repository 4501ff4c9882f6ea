// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LocationServices
internal import SystemSupport

/// `fixcast auth reset`: removes an answer.
struct AuthReset: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Forget an answer, so that the next request needs a new one.",
    discussion: """
      Waiting requests of WHO are removed too. 'reset everyone' switches location on again after \
      'deny everyone'; it removes no answers.

      Examples:
        sudo fixcast auth reset user=pi
      """)

  @Argument(help: "WHO, as in the answer: pi, uid=1000 or unit=weather.service; or everyone.")
  var who: [String] = []

  @OptionGroup var options: AuthPathOptions

  func run() throws {
    let context = try AuthContext(options)
    let selector = try context.selector(who)
    let isSwitch = selector == .everyone
    let hasChanged = try context.update { ledger in
      guard isSwitch else { return ledger.reset(selector) }
      defer { ledger.isSwitchedOff = false }
      return ledger.isSwitchedOff
    }
    if hasChanged { context.log(isSwitch ? .switched : .reset, selector) }
    try context.print([
      isSwitch
        ? Self.switchMessage(hasChanged)
        : hasChanged
          ? "removed the answer for \(context.paths.text(selector))"
          : missingMessage(selector, context)
    ])
  }

  private static func switchMessage(_ hasChanged: Bool) -> String {
    hasChanged ? "location is switched on for the whole board" : "location was already switched on"
  }

  /// Returns the message that no such answer exists, with a similar answer if there is one.
  private func missingMessage(_ selector: ClientSelector, _ context: AuthContext) throws -> String {
    let ledger = try context.ledger()
    let selectors = ledger.decisions.map(\.selector) + ledger.leases.map(\.selector) + ledger.ended
    let near = selectors.first { $0 != .everyone && ($0.covers(selector) || selector.covers($0)) }
    let start = "no answer for exactly \(context.paths.text(selector))"
    guard let near else {
      return "\(start); list all with: " + context.paths.command(["fixcast", "auth", "list"])
    }
    return "\(start), but one for \(context.paths.text(near)); remove that with: "
      + context.paths.command(["fixcast", "auth", "reset"] + context.paths.words(near))
  }
}
