// SPDX-License-Identifier: Apache-2.0

import Foundation
import Positioning
import SystemSupport
import Testing

@testable import LocationServices

@Suite("Ledger of decisions and requests")
struct DecisionLedgerTests {
  private static let client = ClientIdentity(userID: 1000)
  private static let one = ProcessToken(process: 1, startTicks: 1, boot: nil)
  private static let two = ProcessToken(process: 2, startTicks: 2, boot: nil)

  private func file(
    _ ledger: inout DecisionLedger, _ request: AuthorizationRequest = .whenInUse,
    _ process: ProcessToken = one
  ) -> PendingRequest? {
    ledger.file(request, of: Self.client, purpose: "to draw", process: process, at: .noon)
  }

  @Test func `equal requests are filed once, and removed when the last program that made them has ended`() {
    var ledger = DecisionLedger()
    let first = file(&ledger)
    #expect(first?.answer(\.words) == ["fixcast", "auth", "allow", "uid=1000"])
    let second = file(&ledger, .whenInUse, Self.two)
    #expect(second?.id == first?.id)
    let always = file(&ledger, .always)
    #expect(always?.answer(\.words) == ["fixcast", "auth", "allow", "uid=1000", "--always"])
    #expect(always?.answer(\.words, for: "2h").suffix(3) == ["--always", "--for", "2h"])
    #expect(ledger.pending.count == 2)
    ledger.withdraw(Self.one)
    #expect(ledger.pending.map(\.processes) == [[Self.two]])
    ledger.prune(at: .noon) { _ in false }
    #expect(ledger.pending.isEmpty)
  }

  @Test func `a decision replaces the previous decision for the client and answers pending requests`() {
    var ledger = DecisionLedger()
    _ = file(&ledger)
    let granted = ledger.record(.of(.whenInUse))
    #expect(granted == 2)
    #expect(ledger.pending.isEmpty)
    #expect(ledger.decisions.first?.purpose == "to draw")
    let denied = ledger.record(.of(.denied))
    #expect(denied == 3)
    #expect(ledger.decisions.map(\.level) == [.denied])
    _ = file(&ledger)
    let narrower = ledger.record(.of(.denied, .init(userID: 1000, systemUnit: "a.service")))
    #expect(narrower != nil)
    #expect(ledger.pending.count == 1)
    let wasReset = [ledger.reset(.init(userID: 1000)), ledger.reset(.init(userID: 1000))]
    #expect(wasReset == [true, false])
    #expect(ledger.pending.isEmpty && ledger.decisions.count == 1)
  }

  @Test func `the ledger limits the number of decisions and requests and the length of texts`() {
    var ledger = DecisionLedger()
    for user in 0..<2000 { _ = ledger.record(.of(.denied, .init(userID: UInt32(user)))) }
    #expect(ledger.decisions.count == DecisionLedger.maxDecisions)
    for user in 0..<100 {
      _ = ledger.file(
        .whenInUse, of: ClientIdentity(userID: UInt32(user)),
        purpose: String(repeating: "ü", count: 5000), process: Self.one, at: .noon)
    }
    #expect(ledger.pending.count == DecisionLedger.maxPending)
    #expect(ledger.pending.allSatisfy { $0.purpose.utf8.count == 200 })
    #expect(ledger.hasValidState)
  }

  @Test func `a one-time grant is valid only for the first program that claims it`() throws {
    var ledger = DecisionLedger()
    let recorded = ledger.record(Decision.of(.whenInUse, once: true))
    let id = try #require(recorded)
    #expect(ledger.decisions.first?.applicability(at: .noon, for: nil).applies == true)
    #expect(ledger.decisions.first?.applicability(at: .noon, for: Self.one).applies == false)
    let claims = [ledger.claim(id, by: Self.one), ledger.claim(id, by: Self.two)]
    #expect(claims == [true, false])
    let taken = try #require(ledger.decisions.first)
    #expect(taken.applicability(at: .noon, for: Self.one).applies)
    #expect(!taken.applicability(at: .noon, for: Self.two).applies)
    #expect(!taken.applicability(at: .noon, for: nil).applies)
    ledger.useUp(id, by: Self.two)
    #expect(ledger.decisions.count == 1)
    ledger.useUp(id, by: Self.one)
    #expect(ledger.decisions.isEmpty)
  }

  @Test func `a one-time grant ends when the program that claimed it ends`() throws {
    var ledger = DecisionLedger()
    let recorded = ledger.record(Decision.of(.whenInUse, once: true))
    let id = try #require(recorded)
    ledger.prune(at: .noon) { _ in false }
    #expect(ledger.decisions.count == 1)
    _ = ledger.claim(id, by: Self.one)
    ledger.prune(at: .noon) { _ in false }
    #expect(ledger.decisions.isEmpty)
  }

  /// Returns the status of a client that the base authorizes if there is no decision.
  private func statusWithBase(
    _ ledger: DecisionLedger, user: UInt32 = 1000, at now: BootTimestamp = .noon
  ) -> AuthorizationStatus {
    AuthorizationEvaluation(rules: .init(), ledger: .success(ledger), base: .authorizedAlways)
      .verdict(on: ClientIdentity(userID: user), asking: .whenInUse, at: now).authorization.status
  }

  @Test func `after a decision has expired, the client must make a request, even with a base`() throws {
    var ledger = DecisionLedger()
    let later = BootTimestamp.noon.advanced(bySeconds: 60)
    _ = ledger.record(.of(.whenInUse, seconds: 60, reduced: true))
    #expect(statusWithBase(ledger) == .authorizedWhenInUse)
    #expect(statusWithBase(ledger, at: later) == .notDetermined)
    ledger.prune(at: later) { _ in true }
    #expect(ledger.decisions.isEmpty)
    #expect(statusWithBase(ledger, at: later) == .notDetermined)
    #expect(statusWithBase(ledger, user: 1001, at: later) == .authorizedAlways)
    let stored = try JSONEncoder().encode(ledger)
    let read = try JSONDecoder().decode(DecisionLedger.self, from: stored)
    #expect(statusWithBase(read, at: later) == .notDetermined)
    // A reset by an operator restores the base authorization.
    let wasReset = ledger.reset(.init(userID: 1000))
    #expect(wasReset)
    #expect(statusWithBase(ledger, at: later) == .authorizedAlways)
  }

  @Test func `after a one-time grant was used or its program ended, the client must make a new request`() throws {
    for isServed in [true, false] {
      var ledger = DecisionLedger()
      let recorded = ledger.record(Decision.of(.whenInUse, once: true))
      let id = try #require(recorded)
      _ = ledger.claim(id, by: Self.one)
      #expect(statusWithBase(ledger) == .notDetermined)
      if isServed {
        ledger.useUp(id, by: Self.one)
      } else {
        ledger.prune(at: .noon) { _ in false }
      }
      #expect(ledger.decisions.isEmpty && statusWithBase(ledger) == .notDetermined)
    }
  }

  @Test func `beyond the limit of remembered ended decisions, every client must make a request`() {
    var ledger = DecisionLedger()
    for user in 0..<2000 {
      _ = ledger.record(.of(.whenInUse, .init(userID: UInt32(user)), seconds: 1))
      if user % 100 == 99 { ledger.prune(at: .noon.advanced(bySeconds: 1)) { _ in true } }
    }
    #expect(ledger.hasValidState)
    for user in [0, 5, 1023, 1024, 1999] as [UInt32] {
      #expect(statusWithBase(ledger, user: user) == .notDetermined, "\(user)")
    }
  }

  @Test func `within one boot, the duration of a grant does not depend on the wall clock`() {
    let grant = Decision.of(.whenInUse, seconds: 120)
    var now = BootTimestamp.noon.advanced(bySeconds: 60)
    #expect(grant.validity(at: now) == .holds(seconds: 60))
    now.utcSeconds += 50 * 365 * 86_400
    #expect(grant.validity(at: now) == .holds(seconds: 60))
    now.utcSeconds = 0
    #expect(grant.validity(at: now) == .holds(seconds: 60))
    now.bootSeconds += 60
    #expect(grant.validity(at: now) == .over)
  }

  @Test func `after a reboot, a grant uses the wall clock and is invalid if the clock is before its creation`() {
    let grant = Decision.of(.whenInUse, seconds: 120)
    let denial = Decision.of(.denied, seconds: 120)
    var now = BootTimestamp.noon.advanced(bySeconds: 60)
    now.boot = "b2"
    now.bootSeconds = 3
    #expect(grant.validity(at: now) == .holds(seconds: 60))
    now.utcSeconds = 0
    #expect(grant.validity(at: now) == .unclear)
    #expect(!grant.applicability(at: now, for: nil).applies)
    #expect(denial.applicability(at: now, for: nil).applies)
    #expect(Decision.of(.always).applicability(at: now, for: nil).applies)
    now.utcSeconds = .min
    #expect(grant.validity(at: now) == .unclear)
    now.utcSeconds = .max
    #expect(grant.validity(at: now) == .over)
  }
}
