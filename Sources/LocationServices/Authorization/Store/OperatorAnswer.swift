// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport

/// An operator's answer to a request that waits, given by its number.
///
/// Has the same effect as `fixcast auth allow` and `deny` with the client of the request.
package struct OperatorAnswer: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case allow
    case allowReduced
    case deny
  }

  /// The reason why an answer was not recorded.
  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The request was answered or withdrawn.
    case unknownRequest
    /// A lock or an unreadable file would override any answer.
    case overridden(String)
    case tooMany
    /// A request for full accuracy cannot be answered with reduced accuracy.
    case notReducible
    case store(DecisionStoreError)

    package var description: String {
      switch self {
      case .unknownRequest: "the request does not wait any more"
      case .overridden(let reason): "an answer has no effect: \(reason)"
      case .tooMany: "there are too many answers; reset some first"
      case .notReducible: "a request for full accuracy cannot be allowed with reduced accuracy"
      case .store(let error): "\(error)"
      }
    }
  }

  /// The default duration of temporary full accuracy, in seconds.
  private static let fullAccuracySeconds: Int64 = 600

  package var request: UInt64
  package var kind: Kind
  /// The validity in seconds; `nil` for no limit.
  package var seconds: Int64?
  /// The user who answers.
  package var by: UInt32
  package var reason: String

  package init(request: UInt64, kind: Kind, seconds: Int64?, by: UInt32, reason: String) {
    self.request = request
    self.kind = kind
    self.seconds = seconds
    self.by = by
    self.reason = reason
  }

  /// Records the answer.
  ///
  /// - Parameters:
  ///   - ledger: The decisions.
  ///   - now: The current time.
  ///   - obstacle: Returns why an answer for a selector has no effect; `nil` if it has one.
  /// - Returns: The line of the audit log.
  func record(
    in ledger: inout DecisionLedger, at now: BootTimestamp,
    obstacle: (ClientSelector) -> String? = { _ in nil }
  ) -> Result<AuditEvent, Failure> {
    guard let pending = ledger.pending.first(where: { $0.id == request }) else {
      return .failure(.unknownRequest)
    }
    let selector = pending.selector
    if let reason = obstacle(selector) { return .failure(.overridden(reason)) }
    var event = AuditEvent(.decided, at: now.utcSeconds, client: "\(selector)")
    event.byUser = by
    event.reason = reason
    if pending.fullAccuracyPurposeKey != nil {
      return recordFullAccuracy(selector, &ledger, now, event)
    }
    var decision = Decision(
      selector: selector,
      level: kind == .deny ? .denied : pending.request == .always ? .always : .whenInUse,
      created: now, validForSeconds: seconds, grantedBy: by, reason: reason)
    decision.isReduced = kind == .allowReduced
    guard let id = ledger.record(decision) else { return .failure(.tooMany) }
    event.authorization = Authorization(
      decision.level == .denied
        ? .denied : decision.level == .always ? .authorizedAlways : .authorizedWhenInUse,
      accuracy: decision.isReduced ? .reducedAccuracy : .fullAccuracy)
    event.decidedBy = "answer \(id): \(decision.summary)"
    return .success(event)
  }

  private func recordFullAccuracy(
    _ selector: ClientSelector, _ ledger: inout DecisionLedger, _ now: BootTimestamp,
    _ event: AuditEvent
  ) -> Result<AuditEvent, Failure> {
    var event = event
    event.asksFullAccuracy = true
    switch kind {
    case .allowReduced: return .failure(.notReducible)
    case .deny:
      _ = ledger.refuseFullAccuracy(selector)
      event.decidedBy = "deny \(selector) --full"
    case .allow:
      let lease = FullAccuracyLease(
        selector: selector, created: now, validForSeconds: seconds ?? Self.fullAccuracySeconds,
        grantedBy: by, reason: reason)
      guard let id = ledger.record(lease) else { return .failure(.tooMany) }
      event.decidedBy = "answer \(id): allow \(selector) --full"
    }
    return .success(event)
  }
}
