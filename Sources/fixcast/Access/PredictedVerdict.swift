// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import Glibc
import LocationServices
internal import Positioning
internal import SystemSupport

/// What a program would be told that the daemon has told nothing yet, were it to ask now.
///
/// Rules count once a program asks, and a command asks for itself. Of what would hold then the
/// daemon's word leaves no more open than they: an answer, a lock or the switch would have been told.
struct PredictedVerdict: Equatable {
  /// What would hold, and by which rule; not determined where an operator would have to answer.
  let verdict: AuthorizationVerdict

  /// Looks at the rules.
  ///
  /// - Parameters:
  ///   - told: What the daemon has told; `nil` is the result where that is all there is to say.
  ///   - request: What would be asked for; `nil` for what such a program asks the daemon for.
  ///   - client: Who would ask.
  ///   - places: Where the rules lie; `nil` is the result where they cannot be read.
  ///   - now: The present moment.
  init?(
    told: DaemonAuthorization, asking request: AuthorizationRequest? = nil,
    client: ClientIdentity = ProcessEvidence().ownIdentity(), at places: PolicyPaths,
    now: BootTimestamp = .now()
  ) {
    guard told.authorization.status == .notDetermined else { return nil }
    let evaluation = AuthorizationEvaluation(
      rules: places.folders.read(), ledger: .success(DecisionLedger()))
    verdict = evaluation.verdict(
      on: client, asking: request ?? .whenInUse, at: now)
    if case .brokenPolicy = verdict.origin { return nil }
  }

  /// Whether nobody has said anything that would count: an operator has to.
  var isOpen: Bool { verdict.authorization.status == .notDetermined }
}
