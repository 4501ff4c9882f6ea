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
    let bench = SessionBench(etc: rule)
    let expected = Authorization(status)
    #expect(bench.ask(request) == .decided(expected))
    #expect(bench.follow() == [])
  }

  @Test func `without a request, a default rule grants nothing`() {
    let bench = SessionBench(etc: "allow everyone")
    #expect(bench.session.authorization == Self.undetermined)
    #expect(bench.follow() == [])
  }

  @Test(arguments: ["", "ask everyone"])
  func `without a default rule, a request is filed once and waits until an operator decides`(rule: String) {
    let bench = SessionBench(etc: rule)
    #expect([bench.ask(), bench.ask()] == [.pending, .pending])
    #expect(bench.follow() == [])
    bench.record(.of(.always))
    #expect(bench.follow() == [.notify(.decided(Self.always))])
    #expect(!bench.session.isWaiting)
  }

  @Test func `a denial by an operator is reported, and later requests are denied at once`() {
    let bench = SessionBench()
    _ = bench.ask()
    bench.record(.of(.denied))
    #expect(bench.follow() == [.notify(.decided(Self.denied))])
    #expect(bench.ask() == .decided(Self.denied))
  }

  @Test func `a request that is reset or times out lapses and may be made again`() {
    var bench = SessionBench()
    _ = bench.ask()
    bench.change { _ = $0.reset(.init(userID: 1000)) }
    #expect(bench.follow() == [.notify(.lapsed(.whenInUse))])

    bench = SessionBench(etc: "ask everyone timeout=10m")
    _ = bench.ask()
    bench.now = .noon.advanced(bySeconds: 599)
    #expect(bench.follow() == [])
    // The first fix corrects the wall clock, which must not change the timeout.
    bench.now.utcSeconds += 1_000_000_000
    #expect(bench.follow() == [])
    bench.now.bootSeconds += 1
    #expect(bench.follow() == [.withdraw, .notify(.lapsed(.whenInUse))])
  }

  @Test func `a request that times out is denied if the rule contains then=deny`() {
    let bench = SessionBench(etc: "ask everyone timeout=10m then=deny")
    _ = bench.ask()
    bench.now = .noon.advanced(bySeconds: 600)
    #expect(bench.follow() == [.withdraw, .refuse(reason: "no answer within 10m")])
  }

  @Test func `a refused upgrade to always authorization keeps the previous grant`() {
    var bench = SessionBench([.of(.whenInUse)])
    #expect(bench.session.authorization == Self.inUse)
    #expect(bench.ask(.always) == .pending)
    bench.record(.of(.whenInUse, refusesAlways: true))
    #expect(bench.follow() == [.notify(.refused(.always))])
    #expect(bench.ask(.always) == .decided(Self.inUse))

    bench = SessionBench([.of(.whenInUse)])
    _ = bench.ask(.always)
    bench.record(.of(.always))
    #expect(bench.follow() == [.notify(.decided(Self.always))])
  }

  @Test(arguments: ["deny", "lock", "switch", "reduced"])
  func `a revocation is reported even if it is detected only by an upgrade request`(change: String) {
    let bench = SessionBench([.of(.whenInUse)])
    var expected = Self.denied
    switch change {
    case "deny": bench.record(.of(.denied))
    case "lock":
      bench.write("lock everyone")
      expected = Self.restricted
    case "switch": bench.change { $0.isSwitchedOff = true }
    default:
      let reduced = Decision.of(.whenInUse, reduced: true, refusesAlways: true)
      bench.record(reduced)
      expected = Authorization(.authorizedWhenInUse, accuracy: .reducedAccuracy)
    }
    let (answer, effects) = bench.session.ask(
      .always, purpose: "map", bench.evaluation, at: bench.now)
    #expect(answer == .decided(expected))
    #expect(
      SessionBench.withoutLog(effects + bench.session.follow(bench.evaluation, at: bench.now))
        == [.notify(change == "switch" ? .deniedGlobally : .decided(expected))])
    let kinds = effects.compactMap { if case .audit(let event) = $0 { event.kind } else { nil } }
    #expect(kinds.contains(.revoked) == (change != "reduced"))
  }

  @Test func `each change of authorization is reported once`() {
    let bench = SessionBench([.of(.always)])
    #expect(bench.step { $0.record(.of(.whenInUse)) } == [.notify(.decided(Self.inUse))])
    #expect(
      bench.step { bench in
        bench.record(.of(.whenInUse, reduced: true))
      } == [.notify(.decided(.init(.authorizedWhenInUse, accuracy: .reducedAccuracy)))])
    #expect(bench.step { $0.record(.of(.denied)) } == [.notify(.decided(Self.denied))])
    #expect(bench.step { $0.change { $0.isSwitchedOff = true } } == [.notify(.deniedGlobally)])
    #expect(
      bench.step { $0.change { $0.isSwitchedOff = false } } == [.notify(.decided(Self.denied))])
    #expect(bench.step { $0.write("lock uid=1000") } == [.notify(.decided(Self.restricted))])
    #expect(bench.step { $0.write("") } == [.notify(.decided(Self.denied))])
    #expect(bench.step { $0.write("# no change") } == [])
    #expect(
      bench.step { $0.change { _ = $0.reset(.init(userID: 1000)) } } == [
        .notify(.decided(Self.undetermined))
      ]
    )
    #expect(
      bench.step { $0.record(.of(.whenInUse, seconds: 60)) } == [.notify(.decided(Self.inUse))])
    #expect(
      bench.step { $0.now = .noon.advanced(bySeconds: 60) } == [
        .notify(.decided(Self.undetermined))
      ])
    #expect(bench.step { $0.record(.of(.always)) } == [.notify(.decided(Self.always))])
    let broken = DecisionStoreError.corrupt(path: "p", detail: "is damaged")
    #expect(bench.step { $0.ledger = .failure(broken) } == [.notify(.decided(Self.restricted))])
  }

  @Test func `a grant by a default rule changes with the rule; after a lock a new request is needed`() {
    let bench = SessionBench(etc: "allow everyone")
    _ = bench.ask()
    #expect(bench.step { $0.change { $0.isSwitchedOff = true } } == [.notify(.deniedGlobally)])
    #expect(
      bench.step { $0.change { $0.isSwitchedOff = false } } == [.notify(.decided(Self.inUse))])
    #expect(bench.step { $0.write("deny everyone") } == [.notify(.decided(Self.denied))])
    #expect(bench.step { $0.write("allow everyone") } == [.notify(.decided(Self.inUse))])
    #expect(bench.step { $0.write("lock everyone") } == [.notify(.decided(Self.restricted))])
    #expect(bench.step { $0.write("allow everyone") } == [.notify(.decided(Self.undetermined))])
  }

  @Test func `a lock withdraws pending requests`() {
    let bench = SessionBench()
    _ = bench.ask()
    bench.write("lock everyone")
    #expect(bench.follow() == [.notify(.decided(Self.restricted)), .withdraw])
  }

  @Test func `a request that could not be filed is filed again`() {
    let bench = SessionBench()
    let (answer, effects) = bench.session.ask(
      .whenInUse, purpose: "map", bench.evaluation, at: bench.now)
    #expect(answer == .pending)
    #expect(SessionBench.withoutLog(effects) == [.file(.whenInUse, purpose: "map")])
    #expect(bench.follow() == [.file(.whenInUse, purpose: "map")])
    bench.record(.of(.whenInUse))
    #expect(bench.follow() == [.notify(.decided(Self.inUse))])
  }

  @Test func `the audit log records the request, the decision and the rule that applied`() {
    let bench = SessionBench(etc: "allow everyone")
    let (_, effects) = bench.session.ask(.whenInUse, purpose: "map", bench.evaluation, at: .noon)
    let events = effects.compactMap { if case .audit(let event) = $0 { event } else { nil } }
    #expect(events.map(\.kind) == [.requested, .decided])
    #expect(events.map(\.reason) == ["map", nil])
    #expect(events.last?.decidedBy == "etc:1: allow everyone")
    bench.write("lock everyone")
    let after = bench.session.follow(bench.evaluation, at: .noon)
    let kinds = after.compactMap { if case .audit(let event) = $0 { event.kind } else { nil } }
    #expect(kinds == [.revoked])
  }
}
