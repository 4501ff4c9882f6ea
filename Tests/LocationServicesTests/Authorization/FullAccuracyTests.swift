// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import SystemSupport
import Testing

@testable import LocationServices

/// Full accuracy for a while, as values.
@Suite("Full accuracy for a while", .timeLimit(.minutes(5)))
struct FullAccuracyTests {
  private static let me = ClientIdentity(userID: 1000)
  private static let process = ProcessToken(process: 9, startTicks: 9, boot: "b1")

  /// One client of reduced accuracy.
  private final class Bench {
    var rules = PolicyRules(reading: Array("ask everyone timeout=10m\n".utf8), as: "etc")
    var ledger = DecisionLedger()
    var now = BoardTime.noon
    var session: PolicySession

    init(client: ClientIdentity = me, _ change: (inout DecisionLedger) -> Void = { _ in }) {
      _ = ledger.record(.of(.always, reduced: true))
      change(&ledger)
      session = PolicySession(
        client: client, process: process,
        evaluation: .init(rules: rules, ledger: .success(ledger)), now: now)
    }

    var evaluation: AuthorizationEvaluation { .init(rules: rules, ledger: .success(ledger)) }

    /// Does what the shell does, and gives what is told; the log aside.
    private func run(_ effects: [PolicySession.Effect]) -> [PolicySession.Effect] {
      effects.filter { effect in
        switch effect {
        case .audit: return false
        case .fileFullAccuracy(let key):
          _ = ledger.file(
            .whenInUse, of: session.client, purpose: key, fullAccuracyPurposeKey: key,
            process: process, at: now)
          session.filedFullAccuracy(key)
          return false
        default: return true
        }
      }
    }

    func ask(_ key: String = "map") -> [PolicySession.Effect] {
      run(session.askFullAccuracy(key, evaluation, at: now))
    }

    func follow() -> [PolicySession.Effect] {
      run(session.follow(evaluation, at: now))
    }

    func give(seconds: Int64 = 600) {
      _ = ledger.record(
        FullAccuracyLease(
          selector: .init(userID: 1000), created: now, validForSeconds: seconds, grantedBy: 0))
    }
  }

  @Test("waits, shows the command, is given for what is left, and ends when it is over")
  func whole() throws {
    let bench = Bench()
    #expect(bench.ask() == [] && bench.ask() == [])
    let pending = try #require(bench.ledger.pending.first)
    #expect(bench.ledger.pending.count == 1)
    #expect(
      pending.answer == ["fixcast", "auth", "allow", "uid=1000", "--full", "--for", "10m"])
    #expect(bench.follow() == [])
    bench.give()
    #expect(bench.ledger.pending.isEmpty)
    bench.now = .noon.advanced(bySeconds: 100)
    #expect(bench.follow() == [.answerFullAccuracy("map", .granted(duration: .seconds(500)))])
    #expect(bench.session.secondsToDeadline(bench.evaluation, at: bench.now) == 500)
    bench.now = .noon.advanced(bySeconds: 599)
    #expect(bench.follow() == [])
    bench.now = .noon.advanced(bySeconds: 600)
    #expect(bench.follow() == [.tell(.fullAccuracyEnded)])
    #expect(bench.follow() == [])
    // A new question waits anew.
    #expect(bench.ask() == [] && bench.ledger.pending.count == 1)
  }

  @Test("is given by a default that says so, each time it is asked for, as long as the rule stands")
  func byRule() {
    func bench() -> Bench {
      let bench = Bench { _ = $0.reset(.init(userID: 1000)) }
      bench.rules = PolicyRules(
        reading: Array("allow everyone accuracy=reduced full=10m".utf8), as: "etc")
      _ = bench.session.ask(.always, purpose: "p", bench.evaluation, at: bench.now)
      return bench
    }
    let granted: PolicySession.Effect =
      .answerFullAccuracy("map", .granted(duration: .seconds(600)))
    var one = bench()
    #expect(one.ask() == [granted])
    #expect(one.session.secondsToDeadline(one.evaluation, at: one.now) == 600)
    one.now = .noon.advanced(bySeconds: 599)
    #expect(one.follow() == [])
    one.now = .noon.advanced(bySeconds: 600)
    #expect(one.follow() == [.tell(.fullAccuracyEnded)])
    #expect(one.ask() == [granted])
    #expect(one.ledger.pending.isEmpty)

    one = bench()
    _ = one.ask()
    one.rules = PolicyRules(reading: Array("allow everyone accuracy=reduced".utf8), as: "etc")
    #expect(one.follow() == [.tell(.fullAccuracyEnded)])
    // An operator who has said reduced has said all there is to say.
    one = bench()
    _ = one.ledger.record(.of(.always, reduced: true))
    #expect(one.ask() == [])
    #expect(one.ledger.pending.count == 1)
  }

  @Test("is refused by an operator, by a lock, by a refusal, and by nobody who answers in time")
  func refused() {
    let declined: PolicySession.Effect = .answerFullAccuracy("map", .declined)
    var bench = Bench()
    _ = bench.ask()
    let refuses = bench.ledger.refuseFullAccuracy(.init(userID: 1000))
    #expect(refuses)
    #expect(bench.follow() == [declined])

    bench = Bench()
    _ = bench.ask()
    bench.rules = PolicyRules(reading: Array("lock everyone".utf8), as: "etc")
    #expect(bench.follow().contains(declined))

    bench = Bench()
    _ = bench.ask()
    _ = bench.ledger.record(.of(.denied))
    #expect(bench.follow().contains(declined))

    bench = Bench()
    _ = bench.ask()
    bench.now = .noon.advanced(bySeconds: 599)
    #expect(bench.follow() == [])
    bench.now = .noon.advanced(bySeconds: 600)
    #expect(bench.follow() == [.withdrawFullAccuracy("map"), declined])
  }

  @Test("is taken back by an operator, and by whatever takes the grant itself")
  func takenBack() {
    for change: (inout DecisionLedger) -> Void in [
      { _ = $0.refuseFullAccuracy(.init(userID: 1000)) }, { _ = $0.record(.of(.denied)) },
      { $0.isSwitchedOff = true }, { _ = $0.reset(.init(userID: 1000)) },
    ] {
      let bench = Bench()
      bench.give()
      #expect(bench.ask() == [.answerFullAccuracy("map", .granted(duration: .seconds(600)))])
      change(&bench.ledger)
      #expect(bench.follow().contains(.tell(.fullAccuracyEnded)))
    }
  }

  @Test("is not taken back or refused by a grant of reduced accuracy, and needless with a full one")
  func otherGrants() {
    var bench = Bench()
    _ = bench.ask()
    let reduced = Decision.of(.whenInUse, reduced: true)
    _ = bench.ledger.record(reduced)
    #expect(bench.ledger.pending.count == 1)
    bench.give()
    #expect(bench.follow().contains(.answerFullAccuracy("map", .granted(duration: .seconds(600)))))
    _ = bench.ledger.record(reduced)
    #expect(bench.follow() == [])

    bench = Bench()
    _ = bench.ask()
    _ = bench.ledger.record(.of(.always))
    #expect(bench.ledger.pending.isEmpty)
    #expect(bench.follow().contains(.answerFullAccuracy("map", .granted(duration: nil))))
  }

  @Test("is given for the purposes that waited alone, and not to everyone")
  func purposes() {
    let bench = Bench()
    _ = bench.ask("map")
    bench.give()
    #expect(bench.follow() == [.answerFullAccuracy("map", .granted(duration: .seconds(600)))])
    #expect(bench.ask("advertising") == [])
    #expect(bench.ledger.pending.map(\.fullAccuracyPurposeKey) == ["advertising"])

    var ledger = DecisionLedger()
    let lease = FullAccuracyLease(
      selector: .everyone, created: .noon, validForSeconds: 60, grantedBy: 0)
    let number = ledger.record(lease)
    #expect(number == nil)
  }

  @Test("more purposes than a program has are refused")
  func bounded() {
    let bench = Bench()
    for number in 0..<8 { #expect(bench.ask("\(number)") == []) }
    #expect(bench.ask("8") == [.answerFullAccuracy("8", .declined)])
  }

  @Test("a program that gives up takes its request back")
  func givesUp() async throws {
    let folder = try ScratchFolder()
    let places = PolicyPlaces(root: folder.path)
    let lines = EventRecorder<String>()
    do {
      _ = try places.store.update { $0.record(.of(.always, reduced: true)) }
      let policy = PolicyFiles(
        client: Self.me, places: places, now: { .noon }, report: { lines.record($0) })
      let answers = EventRecorder<LocationError?>()
      do {
        let manager = LocationManager(policy: policy, purpose: "Test")
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") {
          answers.record($0)
        }
        #expect(await lines.wait(for: 1).first?.contains("asks for full accuracy") == true)
      }
      #expect(await answers.wait(for: 1) == [.promptDeclined])
    }
    try await places.store.wait { $0.pending.isEmpty }
  }
}
