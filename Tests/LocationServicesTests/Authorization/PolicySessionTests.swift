// SPDX-License-Identifier: Apache-2.0

import Positioning
import SystemSupport
import Testing

@testable import LocationServices

/// One client, with what has been said kept beside it.
private struct Bench {
  var rules = PolicyRules()
  var ledger: Result<DecisionLedger, DecisionStoreError> = .success(.init())
  var now = BoardTime.noon
  var session: PolicySession
  static let process = ProcessToken(process: 9, startTicks: 9, boot: "b1")

  init(etc: String = "", _ decisions: [Decision] = []) {
    session = PolicySession(
      client: ClientIdentity(userID: 1000), process: Self.process,
      evaluation: .init(rules: .init(), ledger: .success(.init())), now: .noon)
    lock(etc)
    for decision in decisions { record(decision) }
    session = PolicySession(
      client: session.client, process: Self.process, evaluation: evaluation, now: now)
  }

  var evaluation: AuthorizationEvaluation { .init(rules: rules, ledger: ledger) }

  mutating func lock(_ text: String) {
    let parser = PolicyParser(allowsLocks: true) { _ in nil }
    (rules.administrator, rules.problems) = parser.parse(Array(text.utf8), file: "etc")
  }

  mutating func change(_ body: (inout DecisionLedger) -> Void) {
    guard case .success(var changed) = ledger else { return }
    body(&changed)
    ledger = .success(changed)
  }

  mutating func record(_ decision: Decision) { change { _ = $0.record(decision) } }

  /// What is told, and what the shell has to do; the log aside.
  mutating func follow() -> [PolicySession.Effect] {
    Self.withoutLog(session.follow(evaluation, at: now))
  }

  /// Asks, and files as the shell does.
  mutating func ask(_ request: AuthorizationRequest = .whenInUse) -> AuthorizationAnswer {
    let (answer, effects) = session.ask(request, purpose: "map", evaluation, at: now)
    for case .file(let request, let purpose) in effects {
      change { [client = session.client, now] ledger in
        _ = ledger.file(request, of: client, purpose: purpose, process: Self.process, at: now)
      }
      session.filed(request)
    }
    return answer
  }

  static func withoutLog(_ effects: [PolicySession.Effect]) -> [PolicySession.Effect] {
    effects.filter { if case .audit = $0 { false } else { true } }
  }
}

@Suite("A client's authorization, followed")
struct PolicySessionTests {
  private static let inUse = Authorization(.authorizedWhenInUse)
  private static let always = Authorization(.authorizedAlways)
  private static let denied = Authorization(.denied)
  private static let open = Authorization(.notDetermined)
  private static let restricted = Authorization(.restricted)

  @Test(
    "a default answers a request at once",
    arguments: [
      ("allow everyone", AuthorizationRequest.whenInUse, AuthorizationStatus.authorizedWhenInUse),
      ("allow everyone", .always, .authorizedAlways),
      ("allow everyone level=when-in-use", .always, .authorizedWhenInUse),
      ("deny everyone", .whenInUse, .denied), ("lock everyone", .always, .restricted),
    ])
  func byDefault(rule: String, request: AuthorizationRequest, status: AuthorizationStatus) {
    var bench = Bench(etc: rule)
    let expected = Authorization(status)
    let answer = bench.ask(request)
    #expect(answer == .decided(expected))
    let effects = bench.follow()
    #expect(effects == [])
  }

  @Test("nobody asked is nobody granted, whatever the default")
  func notAsked() {
    var bench = Bench(etc: "allow everyone")
    #expect(bench.session.told == Self.open)
    let effects = bench.follow()
    #expect(effects == [])
  }

  @Test(
    "without a default it waits, once, until an operator answers", arguments: ["", "ask everyone"])
  func waits(rule: String) {
    var bench = Bench(etc: rule)
    let answers = [bench.ask(), bench.ask()]
    #expect(answers == [.pending, .pending])
    let quiet = bench.follow()
    #expect(quiet == [])
    bench.record(.of(.always))
    let effects = bench.follow()
    #expect(effects == [.tell(.decided(Self.always))])
    #expect(!bench.session.isWaiting)
  }

  @Test("an operator's no is told, and cannot be asked away")
  func refused() {
    var bench = Bench()
    _ = bench.ask()
    bench.record(.of(.denied))
    let effects = bench.follow()
    #expect(effects == [.tell(.decided(Self.denied))])
    let again = bench.ask()
    #expect(again == .decided(Self.denied))
  }

  @Test("a request that is forgotten, or that nobody answers in time, may be made anew")
  func lapses() {
    var bench = Bench()
    _ = bench.ask()
    bench.change { _ = $0.reset(.init(userID: 1000)) }
    let forgotten = bench.follow()
    #expect(forgotten == [.tell(.lapsed(.whenInUse))])

    bench = Bench(etc: "ask everyone timeout=10m")
    _ = bench.ask()
    bench.now = .noon.advanced(bySeconds: 599)
    let before = bench.follow()
    #expect(before == [])
    // The first fix puts the clock right; nobody waits longer or shorter for that.
    bench.now.utcSeconds += 1_000_000_000
    let still = bench.follow()
    #expect(still == [])
    bench.now.bootSeconds += 1
    let late = bench.follow()
    #expect(late == [.withdraw, .tell(.lapsed(.whenInUse))])
  }

  @Test("where the rule says so, no answer in time is a no")
  func lapsesToDenied() {
    var bench = Bench(etc: "ask everyone timeout=10m then=deny")
    _ = bench.ask()
    bench.now = .noon.advanced(bySeconds: 600)
    let effects = bench.follow()
    #expect(effects == [.withdraw, .refuse(reason: "nobody answered within 10m")])
  }

  @Test("an upgrade waits, and what was granted stays when it is refused")
  func upgrade() {
    var bench = Bench([.of(.whenInUse)])
    #expect(bench.session.told == Self.inUse)
    let pending = bench.ask(.always)
    #expect(pending == .pending)
    bench.record(.of(.whenInUse, noMore: true))
    let refused = bench.follow()
    #expect(refused == [.tell(.refused(.always))])
    let again = bench.ask(.always)
    #expect(again == .decided(Self.inUse))

    bench = Bench([.of(.whenInUse)])
    _ = bench.ask(.always)
    bench.record(.of(.always))
    let granted = bench.follow()
    #expect(granted == [.tell(.decided(Self.always))])
  }

  @Test(
    "what was taken back before an upgrade is asked for is told, whoever looks first",
    arguments: ["deny", "lock", "switch", "reduced"])
  func revokedBeforeUpgrade(word: String) {
    var bench = Bench([.of(.whenInUse)])
    var expected = Self.denied
    switch word {
    case "deny": bench.record(.of(.denied))
    case "lock":
      bench.lock("lock everyone")
      expected = Self.restricted
    case "switch": bench.change { $0.isSwitchedOff = true }
    default:
      let reduced = Decision.of(.whenInUse, reduced: true, noMore: true)
      bench.record(reduced)
      expected = Authorization(.authorizedWhenInUse, accuracy: .reducedAccuracy)
    }
    let (answer, effects) = bench.session.ask(
      .always, purpose: "map", bench.evaluation, at: bench.now)
    #expect(answer == .decided(expected))
    #expect(
      Bench.withoutLog(effects + bench.session.follow(bench.evaluation, at: bench.now))
        == [.tell(word == "switch" ? .deniedGlobally : .decided(expected))])
    let kinds = effects.compactMap { if case .audit(let event) = $0 { event.kind } else { nil } }
    #expect(kinds.contains(.revoked) == (word != "reduced"))
  }

  @Test("revoked, switched off, locked, forgotten, run out, narrowed: told once each")
  func changes() {
    var bench = Bench([.of(.always)])
    func step(_ body: (inout Bench) -> Void) -> [PolicySession.Effect] {
      body(&bench)
      let effects = bench.follow()
      let again = bench.follow()
      #expect(again == [])
      return effects
    }
    #expect(step { $0.record(.of(.whenInUse)) } == [.tell(.decided(Self.inUse))])
    #expect(
      step { bench in
        bench.record(.of(.whenInUse, reduced: true))
      } == [.tell(.decided(.init(.authorizedWhenInUse, accuracy: .reducedAccuracy)))])
    #expect(step { $0.record(.of(.denied)) } == [.tell(.decided(Self.denied))])
    #expect(step { $0.change { $0.isSwitchedOff = true } } == [.tell(.deniedGlobally)])
    #expect(step { $0.change { $0.isSwitchedOff = false } } == [.tell(.decided(Self.denied))])
    #expect(step { $0.lock("lock uid=1000") } == [.tell(.decided(Self.restricted))])
    #expect(step { $0.lock("") } == [.tell(.decided(Self.denied))])
    #expect(step { $0.lock("# no change") } == [])
    #expect(
      step { $0.change { _ = $0.reset(.init(userID: 1000)) } } == [.tell(.decided(Self.open))])
    #expect(step { $0.record(.of(.whenInUse, seconds: 60)) } == [.tell(.decided(Self.inUse))])
    #expect(step { $0.now = .noon.advanced(bySeconds: 60) } == [.tell(.decided(Self.open))])
    #expect(step { $0.record(.of(.always)) } == [.tell(.decided(Self.always))])
    let broken = DecisionStoreError.corrupt(path: "p", detail: "is damaged")
    #expect(step { $0.ledger = .failure(broken) } == [.tell(.decided(Self.restricted))])
  }

  @Test("a default that was granted by follows its rule, and has to be asked for after a lock")
  func defaultChanges() {
    var bench = Bench(etc: "allow everyone")
    _ = bench.ask()
    func step(_ body: (inout Bench) -> Void) -> [PolicySession.Effect] {
      body(&bench)
      let effects = bench.follow()
      let again = bench.follow()
      #expect(again == [])
      return effects
    }
    #expect(step { $0.change { $0.isSwitchedOff = true } } == [.tell(.deniedGlobally)])
    #expect(step { $0.change { $0.isSwitchedOff = false } } == [.tell(.decided(Self.inUse))])
    #expect(step { $0.lock("deny everyone") } == [.tell(.decided(Self.denied))])
    #expect(step { $0.lock("allow everyone") } == [.tell(.decided(Self.inUse))])
    #expect(step { $0.lock("lock everyone") } == [.tell(.decided(Self.restricted))])
    #expect(step { $0.lock("allow everyone") } == [.tell(.decided(Self.open))])
  }

  @Test("a lock takes what waits along")
  func lockDropsRequest() {
    var bench = Bench()
    _ = bench.ask()
    bench.lock("lock everyone")
    let effects = bench.follow()
    #expect(effects == [.tell(.decided(Self.restricted)), .withdraw])
  }

  @Test("a request that could not be written is tried again, and answered all the same")
  func retries() {
    var bench = Bench()
    let (answer, effects) = bench.session.ask(
      .whenInUse, purpose: "map", bench.evaluation, at: bench.now)
    #expect(answer == .pending)
    #expect(Bench.withoutLog(effects) == [.file(.whenInUse, purpose: "map")])
    let retried = bench.follow()
    #expect(retried == [.file(.whenInUse, purpose: "map")])
    bench.record(.of(.whenInUse))
    let granted = bench.follow()
    #expect(granted == [.tell(.decided(Self.inUse))])
  }

  @Test("the log says who asked, what was decided, and by which word")
  func log() {
    var bench = Bench(etc: "allow everyone")
    let (_, effects) = bench.session.ask(.whenInUse, purpose: "map", bench.evaluation, at: .noon)
    let events = effects.compactMap { if case .audit(let event) = $0 { event } else { nil } }
    #expect(events.map(\.kind) == [.requested, .decided])
    #expect(events.map(\.reason) == ["map", nil])
    #expect(events.last?.decidedBy == "etc:1: allow everyone")
    bench.lock("lock everyone")
    let after = bench.session.follow(bench.evaluation, at: .noon)
    let kinds = after.compactMap { if case .audit(let event) = $0 { event.kind } else { nil } }
    #expect(kinds == [.revoked])
  }
}
