// SPDX-License-Identifier: Apache-2.0

/// A rule that every stream of a client keeps to.
package enum StreamRule: String, CaseIterable, Sendable {
  /// Who comes, first or late, is given the present value, where the stream has one.
  case beginsWithPresent = "does not begin with the present value"
  /// Of two who listen, both are told everything.
  case tellsEverybody = "does not tell everybody"
  /// Nobody is told the same twice for what happened once.
  case tellsOnce = "tells the same twice"
  /// Who leaves silences nobody else.
  case leavingSilencesNobody = "is silent after another has left"
  /// Who comes after another has left, or after all have, is told.
  case tellsWhoComesAgain = "does not tell who comes again"
  /// Who comes after a pause is given nothing of before it.
  case forgetsOverPause = "gives who comes after a pause what is old"
  /// A stream ends with the task that listens to it, and then tells nothing more.
  case endsWithItsTask = "does not end with the task that listens"
  /// The source runs while someone listens, and no longer.
  case runsWhileListenedTo = "does not run exactly while someone listens"
}

/// A rule that a stream breaks.
package struct StreamBreach: Sendable, CustomStringConvertible {
  /// Which.
  package var rule: StreamRule
  /// What the listener heard in all.
  package var heard: [String]

  /// The breach in a sentence.
  package var description: String { "\(rule.rawValue); heard: \(heard)" }
}
