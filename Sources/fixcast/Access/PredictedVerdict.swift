// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import Glibc
import LocationServices
internal import Positioning
internal import SystemSupport

/// The verdict of the daemon for a program that has not requested access yet.
///
/// Until the first request the daemon reports "not determined". Only rules can still change
/// that: a decision, a lock or the global switch would already be in the daemon's report.
struct PredictedVerdict: Equatable {
  /// The predicted verdict and its rule; not determined if an operator has to answer.
  let verdict: AuthorizationVerdict

  /// Evaluates the rules.
  ///
  /// - Parameters:
  ///   - reported: The daemon's report; the result is `nil` if its status is already determined.
  ///   - request: The level that the client would request; `nil` means "while in use".
  ///   - client: The client that would make the request.
  ///   - places: The paths of the rules; the result is `nil` if the rules cannot be read.
  ///   - now: The current time.
  init?(
    reported: DaemonAuthorization, asking request: AuthorizationRequest? = nil,
    client: ClientIdentity = ProcessEvidence().ownIdentity(), at places: PolicyPaths,
    now: BootTimestamp = .now()
  ) {
    guard reported.authorization.status == .notDetermined else { return nil }
    let evaluation = AuthorizationEvaluation(
      rules: places.folders.read(), ledger: .success(DecisionLedger()))
    verdict = evaluation.verdict(
      on: client, asking: request ?? .whenInUse, at: now)
    if case .brokenPolicy = verdict.origin { return nil }
  }

  /// Whether an operator has to answer, since no rule allows or denies access.
  var needsOperator: Bool { verdict.authorization.status == .notDetermined }
}
