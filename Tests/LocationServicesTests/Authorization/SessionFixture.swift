// SPDX-License-Identifier: Apache-2.0

import SystemSupport
import Testing

@testable import LocationServices

/// A client's session, with the rules and decisions that it evaluates.
final class SessionFixture {
  typealias Effect = PolicySession.Effect

  static let process = ProcessToken(process: 9, startTicks: 9, boot: "b1")

  var rules = PolicyRules()
  var ledger: Result<DecisionLedger, DecisionStoreError> = .success(.init())
  var now = BootTimestamp.noon
  var session: PolicySession

  init(etc: String = "", _ decisions: [Decision] = []) {
    session = PolicySession(
      client: ClientIdentity(userID: 1000), process: Self.process,
      evaluation: .init(rules: .init(), ledger: .success(.init())), now: .noon)
    write(etc)
    for decision in decisions { record(decision) }
    session = PolicySession(client: session.client, process: Self.process, evaluation: evaluation, now: now)
  }

  var evaluation: AuthorizationEvaluation { .init(rules: rules, ledger: ledger) }

  var pending: [PendingRequest] { (try? ledger.get().pending) ?? [] }

  /// Replaces the rules.
  func write(_ text: String) {
    rules = PolicyRules(reading: Array(text.utf8), as: "etc")
  }

  func change(_ body: (inout DecisionLedger) -> Void) {
    guard case .success(var changed) = ledger else { return }
    body(&changed)
    ledger = .success(changed)
  }

  func record(_ decision: Decision) { change { _ = $0.record(decision) } }

  /// Grants temporary full accuracy.
  func grantFullAccuracy(seconds: Int64 = 600) {
    let lease = FullAccuracyLease(selector: .init(userID: 1000), created: now, validForSeconds: seconds, grantedBy: 0)
    change { _ = $0.record(lease) }
  }

  /// Evaluates the session again, and files requests for full accuracy; returns the other effects.
  func follow() -> [Effect] { file(session.follow(evaluation, at: now), filesRequests: false) }

  /// Applies a change and returns its effects; a second evaluation must have none.
  func step(_ body: (SessionFixture) -> Void) -> [Effect] {
    body(self)
    let effects = follow()
    #expect(follow() == [])
    return effects
  }

  /// Makes a request and files it.
  func ask(_ request: AuthorizationRequest = .whenInUse) -> AuthorizationAnswer {
    let (answer, effects) = session.ask(request, purpose: "map", evaluation, at: now)
    _ = file(effects, filesRequests: true)
    return answer
  }

  func askFullAccuracy(_ key: String = "map") -> [Effect] {
    file(session.askFullAccuracy(key, evaluation, at: now), filesRequests: false)
  }

  /// Files requests in the ledger and returns the other effects without the log.
  ///
  /// Authorization requests are filed only if `filesRequests` is true.
  private func file(_ effects: [Effect], filesRequests: Bool) -> [Effect] {
    Self.withoutLog(effects).filter { effect in
      switch effect {
      case .file(let request, let purpose) where filesRequests:
        change { ledger in
          _ = ledger.file(request, of: session.client, purpose: purpose, process: Self.process, at: now)
        }
        session.filed(request)
        return false
      case .fileFullAccuracy(let key):
        change { ledger in
          _ = ledger.file(
            .whenInUse, of: session.client, purpose: key, fullAccuracyPurposeKey: key,
            process: Self.process, at: now)
        }
        session.filedFullAccuracy(key)
        return false
      default: return true
      }
    }
  }

  static func withoutLog(_ effects: [Effect]) -> [Effect] {
    effects.filter { if case .audit = $0 { false } else { true } }
  }
}
