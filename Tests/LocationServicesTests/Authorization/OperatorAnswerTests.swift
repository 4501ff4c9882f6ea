// SPDX-License-Identifier: Apache-2.0

import Positioning
import SystemSupport
import Testing

@testable import LocationServices

@Suite("Answers to requests that wait") struct OperatorAnswerTests {
  private static let client = ClientIdentity(userID: 1000, systemUnit: "map.service")
  private static let process = ProcessToken(process: 1, startTicks: 1, boot: nil)

  /// Returns a ledger with a request, and the number of the request.
  private func ledger(
    _ request: AuthorizationRequest = .whenInUse, fullAccuracy key: String? = nil
  ) throws -> (DecisionLedger, UInt64) {
    var ledger = DecisionLedger()
    let filed = ledger.file(
      request, of: Self.client, purpose: "to draw", fullAccuracyPurposeKey: key,
      process: Self.process, at: .noon)
    return (ledger, try #require(filed).id)
  }

  private func answer(
    _ number: UInt64, _ kind: OperatorAnswer.Kind, seconds: Int64? = nil
  ) -> OperatorAnswer {
    OperatorAnswer(request: number, kind: kind, seconds: seconds, by: 0, reason: "web session 3")
  }

  @Test(arguments: [
    (OperatorAnswer.Kind.allow, AuthorizationRequest.whenInUse, Decision.Level.whenInUse),
    (.allow, .always, .always), (.allowReduced, .always, .always), (.deny, .always, .denied),
  ])
  func `an answer is recorded for the client of the request, as by fixcast auth`(
    kind: OperatorAnswer.Kind, request: AuthorizationRequest, level: Decision.Level
  ) throws {
    var (ledger, number) = try ledger(request)
    let result = answer(number, kind, seconds: 7200).record(in: &ledger, at: .noon)
    let event = try result.get()
    let decision = try #require(ledger.decisions.first)
    #expect(decision.selector == Self.client.evidence && decision.level == level)
    #expect(decision.isReduced == (kind == .allowReduced))
    #expect(decision.validity(at: .noon) == .holds(seconds: 7200))
    #expect(decision.grantedBy == 0 && decision.reason == "web session 3")
    #expect(ledger.pending.isEmpty)
    #expect(event.kind == .decided && event.byUser == 0 && event.reason == "web session 3")
    #expect(event.client == "uid=1000 unit=map.service" && event.isDecision)
    #expect(event.decidedBy == "answer \(decision.id): \(decision.summary)")
  }

  @Test func `an answer without a duration never expires`() throws {
    var (ledger, number) = try ledger()
    _ = try answer(number, .allow).record(in: &ledger, at: .noon).get()
    #expect(ledger.decisions.first?.validity(at: .noon) == .holds(seconds: nil))
  }

  @Test func `a request for full accuracy is granted for ten minutes, or refused`() throws {
    var (ledger, number) = try ledger(fullAccuracy: "rescue")
    var copy = ledger
    let event = try answer(number, .allow).record(in: &ledger, at: .noon).get()
    let lease = try #require(ledger.leases.first)
    #expect(lease.validForSeconds == 600 && lease.purposeKeys == ["rescue"])
    #expect(event.asksFullAccuracy && ledger.decisions.isEmpty && ledger.pending.isEmpty)
    #expect(
      answer(number, .allowReduced).record(in: &copy, at: .noon) == .failure(.notReducible))
    _ = try answer(number, .deny).record(in: &copy, at: .noon).get()
    #expect(copy.pending.isEmpty && copy.leases.isEmpty && copy.decisions.isEmpty)
  }

  @Test func `an answer to a request that does not wait, or that a lock overrides, changes nothing`() throws {
    let (ledger, number) = try ledger()
    var changed = ledger
    #expect(
      answer(number + 1, .allow).record(in: &changed, at: .noon) == .failure(.unknownRequest))
    let locked = answer(number, .allow).record(in: &changed, at: .noon) { "\($0) is locked" }
    #expect(locked == .failure(.overridden("uid=1000 unit=map.service is locked")))
    #expect(changed == ledger)
  }
}
