// SPDX-License-Identifier: Apache-2.0

import Positioning
import SystemSupport
import Testing

@testable import LocationServices

@Suite("Session of a client's authorization")
struct PolicySessionTests {
  private static let inUse = Authorization(.authorizedWhenInUse)
  private static let always = Authorization(.authorizedAlways)
  private static let denied = Authorization(.denied)
  private static let undetermined = Authorization(.notDetermined)
  private static let restricted = Authorization(.restricted)

  @Test(arguments: [
    ("allow everyone", AuthorizationRequest.whenInUse, AuthorizationStatus.authorizedWhenInUse),
    ("allow everyone", .always, .authorizedAlways),
    ("allow everyone level=when-in-use", .always, .authorizedWhenInUse),
    ("deny everyone", .whenInUse, .denied), ("lock everyone", .always, .restricted),
  ])
  func `a default rule answers a request at once`(
    rule: String, request: AuthorizationRequest, status: AuthorizationStatus
  ) {
    let fixture = SessionFixture(etc: rule)
    let expected = Authorization(status)
    #expect(fixture.ask(request) == .decided(expected))
    #expect(fixture.follow() == [])
  }

  @Test func `without a request, a default rule grants nothing`() {
    let fixture = SessionFixture(etc: "allow everyone")
    #expect(fixture.session.authorization == Self.undetermined)
    #expect(fixture.follow() == [])
  }

  @Test(arguments: ["", "ask everyone"])
  func `without a default rule, a request is filed once and waits until an operator decides`(rule: String) {
    let fixture = SessionFixture(etc: rule)
    #expect([fixture.ask(), fixture.ask()] == [.pending, .pending])
    #expect(fixture.follow() == [])
    fixture.record(.of(.always))
    #expect(fixture.follow() == [.notify(.decided(Self.always))])
    #expect(!fixture.session.isWaiting)
  }

  @Test func `a denial by an operator is reported, and later requests are denied at once`() {
    let fixture = SessionFixture()
    _ = fixture.ask()
    fixture.record(.of(.denied))
    #expect(fixture.follow() == [.notify(.decided(Self.denied))])
    #expect(fixture.ask() == .decided(Self.denied))
  }

  @Test func `a request that is reset or times out lapses and may be made again`() {
    var fixture = SessionFixture()
    _ = fixture.ask()
    fixture.change { _ = $0.reset(.init(userID: 1000)) }
    #expect(fixture.follow() == [.notify(.lapsed(.whenInUse))])

    fixture = SessionFixture(etc: "ask everyone timeout=10m")
    _ = fixture.ask()
    fixture.now = .noon.advanced(bySeconds: 599)
    #expect(fixture.follow() == [])
    // The first fix corrects the wall clock, which must not change the timeout.
    fixture.now.utcSeconds += 1_000_000_000
    #expect(fixture.follow() == [])
    fixture.now.bootSeconds += 1
    #expect(fixture.follow() == [.withdraw, .notify(.lapsed(.whenInUse))])
  }

  @Test func `a request that times out is denied if the rule contains then=deny`() {
    let fixture = SessionFixture(etc: "ask everyone timeout=10m then=deny")
    _ = fixture.ask()
    fixture.now = .noon.advanced(bySeconds: 600)
    #expect(fixture.follow() == [.withdraw, .refuse(reason: "no answer within 10m")])
  }

  @Test func `a refused upgrade to always authorization keeps the previous grant`() {
    var fixture = SessionFixture([.of(.whenInUse)])
    #expect(fixture.session.authorization == Self.inUse)
    #expect(fixture.ask(.always) == .pending)
    fixture.record(.of(.whenInUse, refusesAlways: true))
    #expect(fixture.follow() == [.notify(.refused(.always))])
    #expect(fixture.ask(.always) == .decided(Self.inUse))

    fixture = SessionFixture([.of(.whenInUse)])
    _ = fixture.ask(.always)
    fixture.record(.of(.always))
    #expect(fixture.follow() == [.notify(.decided(Self.always))])
  }

  @Test(arguments: ["deny", "lock", "switch", "reduced"])
  func `a revocation is reported even if it is detected only by an upgrade request`(change: String) {
    let fixture = SessionFixture([.of(.whenInUse)])
    var expected = Self.denied
    switch change {
    case "deny": fixture.record(.of(.denied))
    case "lock":
      fixture.write("lock everyone")
      expected = Self.restricted
    case "switch": fixture.change { $0.isSwitchedOff = true }
    default:
      let reduced = Decision.of(.whenInUse, reduced: true, refusesAlways: true)
      fixture.record(reduced)
      expected = Authorization(.authorizedWhenInUse, accuracy: .reducedAccuracy)
    }
    let (answer, effects) = fixture.session.ask(.always, purpose: "map", fixture.evaluation, at: fixture.now)
    #expect(answer == .decided(expected))
    #expect(
      SessionFixture.withoutLog(effects + fixture.session.follow(fixture.evaluation, at: fixture.now))
        == [.notify(change == "switch" ? .deniedGlobally : .decided(expected))])
    let kinds = effects.compactMap { if case .audit(let event) = $0 { event.kind } else { nil } }
    #expect(kinds.contains(.revoked) == (change != "reduced"))
  }

  @Test func `each change of authorization is reported once`() {
    let fixture = SessionFixture([.of(.always)])
    #expect(fixture.step { $0.record(.of(.whenInUse)) } == [.notify(.decided(Self.inUse))])
    #expect(
      fixture.step { fixture in
        fixture.record(.of(.whenInUse, reduced: true))
      } == [.notify(.decided(.init(.authorizedWhenInUse, accuracy: .reducedAccuracy)))])
    #expect(fixture.step { $0.record(.of(.denied)) } == [.notify(.decided(Self.denied))])
    #expect(fixture.step { $0.change { $0.isSwitchedOff = true } } == [.notify(.deniedGlobally)])
    #expect(fixture.step { $0.change { $0.isSwitchedOff = false } } == [.notify(.decided(Self.denied))])
    #expect(fixture.step { $0.write("lock uid=1000") } == [.notify(.decided(Self.restricted))])
    #expect(fixture.step { $0.write("") } == [.notify(.decided(Self.denied))])
    #expect(fixture.step { $0.write("# no change") } == [])
    #expect(fixture.step { $0.change { _ = $0.reset(.init(userID: 1000)) } } == [.notify(.decided(Self.undetermined))])
    #expect(fixture.step { $0.record(.of(.whenInUse, seconds: 60)) } == [.notify(.decided(Self.inUse))])
    #expect(fixture.step { $0.now = .noon.advanced(bySeconds: 60) } == [.notify(.decided(Self.undetermined))])
    #expect(fixture.step { $0.record(.of(.always)) } == [.notify(.decided(Self.always))])
    let broken = DecisionStoreError.corrupt(path: "p", detail: "is damaged")
    #expect(fixture.step { $0.ledger = .failure(broken) } == [.notify(.decided(Self.restricted))])
  }

  @Test func `a grant by a default rule changes with the rule; after a lock a new request is needed`() {
    let fixture = SessionFixture(etc: "allow everyone")
    _ = fixture.ask()
    #expect(fixture.step { $0.change { $0.isSwitchedOff = true } } == [.notify(.deniedGlobally)])
    #expect(fixture.step { $0.change { $0.isSwitchedOff = false } } == [.notify(.decided(Self.inUse))])
    #expect(fixture.step { $0.write("deny everyone") } == [.notify(.decided(Self.denied))])
    #expect(fixture.step { $0.write("allow everyone") } == [.notify(.decided(Self.inUse))])
    #expect(fixture.step { $0.write("lock everyone") } == [.notify(.decided(Self.restricted))])
    #expect(fixture.step { $0.write("allow everyone") } == [.notify(.decided(Self.undetermined))])
  }

  @Test func `a lock withdraws pending requests`() {
    let fixture = SessionFixture()
    _ = fixture.ask()
    fixture.write("lock everyone")
    #expect(fixture.follow() == [.notify(.decided(Self.restricted)), .withdraw])
  }

  @Test func `a request that could not be filed is filed again`() {
    let fixture = SessionFixture()
    let (answer, effects) = fixture.session.ask(.whenInUse, purpose: "map", fixture.evaluation, at: fixture.now)
    #expect(answer == .pending)
    #expect(SessionFixture.withoutLog(effects) == [.file(.whenInUse, purpose: "map")])
    #expect(fixture.follow() == [.file(.whenInUse, purpose: "map")])
    fixture.record(.of(.whenInUse))
    #expect(fixture.follow() == [.notify(.decided(Self.inUse))])
  }

  @Test func `the audit log records the request, the decision and the rule that applied`() {
    let fixture = SessionFixture(etc: "allow everyone")
    let (_, effects) = fixture.session.ask(.whenInUse, purpose: "map", fixture.evaluation, at: .noon)
    let events = effects.compactMap { if case .audit(let event) = $0 { event } else { nil } }
    #expect(events.map(\.kind) == [.requested, .decided])
    #expect(events.map(\.reason) == ["map", nil])
    #expect(events.last?.decidedBy == "etc:1: allow everyone")
    fixture.write("lock everyone")
    let after = fixture.session.follow(fixture.evaluation, at: .noon)
    let kinds = after.compactMap { if case .audit(let event) = $0 { event.kind } else { nil } }
    #expect(kinds == [.revoked])
  }
}
