// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// When something ends by itself.
extension PolicySession {
  /// Seconds until what holds or waits may be another, though nobody says anything.
  ///
  /// - Parameters:
  ///   - evaluation: What is said now.
  ///   - now: The present moment.
  /// - Returns: Seconds; `nil` where nothing ends.
  func secondsToDeadline(_ evaluation: AuthorizationEvaluation, at now: BoardTime) -> Int64? {
    let verdict = evaluation.verdict(on: client, asking: asked, at: now, process: process)
    var ends = [verdict.remainingSeconds].compactMap { $0 }
    if let limit = verdict.waiting.timeoutSeconds {
      for since in waits.map(\.since) + fullAccuracy.waits.map(\.since) {
        if let waited = now.seconds(since: since) { ends.append(limit - waited) }
      }
    }
    if let ledger = try? evaluation.ledger.get() {
      ends += fullAccuracy.held.keys.compactMap { secondsLeft($0, ledger, verdict, now) }
    }
    return ends.min()
  }

  /// The grant that serves once, not yet taken by anybody, that this program asks for.
  ///
  /// - Parameters:
  ///   - request: What is asked for; `nil` for what waits, or was refused by a default.
  ///   - evaluation: What is said now.
  ///   - now: The present moment.
  /// - Returns: Its number; `nil` where there is none, or where none is needed.
  func grantToClaim(
    asking request: AuthorizationRequest?, _ evaluation: AuthorizationEvaluation, at now: BoardTime
  ) -> UInt64? {
    guard let request = request ?? waits.first?.request ?? asked else { return nil }
    let own = evaluation.verdict(on: client, asking: request, at: now, process: process)
    guard !own.authorization.status.isAuthorized else { return nil }
    let next = evaluation.verdict(on: client, asking: request, at: now)
    guard next.authorization.status.isAuthorized, case .decision(let decision) = next.origin,
      decision.servesOnce
    else { return nil }
    return decision.id
  }
}
