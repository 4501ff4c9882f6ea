// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import SystemSupport
import Testing

@testable import LocationServices

/// Requests for temporary full accuracy, tested on the session's values.
@Suite("Temporary full accuracy", .timeLimit(.minutes(5)))
struct FullAccuracyTests {
  private static let client = ClientIdentity(userID: 1000)

  /// A client with reduced accuracy, whose requests an operator has ten minutes to answer.
  private func reducedClient() -> SessionBench {
    SessionBench(etc: "ask everyone timeout=10m", [.of(.always, reduced: true)])
  }

  @Test func `a full-accuracy request waits for an operator, is granted for the remaining time, and expires`() throws {
    let bench = reducedClient()
    #expect(bench.askFullAccuracy() == [] && bench.askFullAccuracy() == [])
    let pending = try #require(bench.pending.first)
    #expect(bench.pending.count == 1)
    #expect(
      pending.answer(\.words) == ["fixcast", "auth", "allow", "uid=1000", "--full", "--for", "10m"])
    #expect(pending.answer(\.words, for: "2h").suffix(3) == ["--full", "--for", "2h"])
    #expect(bench.follow() == [])
    bench.grantFullAccuracy()
    #expect(bench.pending.isEmpty)
    bench.now = .noon.advanced(bySeconds: 100)
    #expect(bench.follow() == [.answerFullAccuracy("map", .granted(duration: .seconds(500)))])
    #expect(bench.session.secondsToDeadline(bench.evaluation, at: bench.now) == 500)
    bench.now = .noon.advanced(bySeconds: 599)
    #expect(bench.follow() == [])
    bench.now = .noon.advanced(bySeconds: 600)
    #expect(bench.follow() == [.notify(.fullAccuracyEnded)])
    #expect(bench.follow() == [])
    // A new request waits again.
    #expect(bench.askFullAccuracy() == [] && bench.pending.count == 1)
  }

  @Test func `a rule with full= grants full accuracy for each request, until the rule changes`() {
    func client() -> SessionBench {
      let bench = SessionBench(etc: "allow everyone accuracy=reduced full=10m")
      _ = bench.ask(.always)
      return bench
    }
    let granted: PolicySession.Effect =
      .answerFullAccuracy("map", .granted(duration: .seconds(600)))
    var bench = client()
    #expect(bench.askFullAccuracy() == [granted])
    #expect(bench.session.secondsToDeadline(bench.evaluation, at: bench.now) == 600)
    bench.now = .noon.advanced(bySeconds: 599)
    #expect(bench.follow() == [])
    bench.now = .noon.advanced(bySeconds: 600)
    #expect(bench.follow() == [.notify(.fullAccuracyEnded)])
    #expect(bench.askFullAccuracy() == [granted])
    #expect(bench.pending.isEmpty)

    bench = client()
    _ = bench.askFullAccuracy()
    bench.write("allow everyone accuracy=reduced")
    #expect(bench.follow() == [.notify(.fullAccuracyEnded)])
    // A decision for reduced accuracy overrides the full= of a rule.
    bench = client()
    bench.record(.of(.always, reduced: true))
    #expect(bench.askFullAccuracy() == [])
    #expect(bench.pending.count == 1)
  }

  @Test func `a full-accuracy request is declined by an operator, a lock, a denial, or a timeout`() {
    let declined: PolicySession.Effect = .answerFullAccuracy("map", .declined)
    var bench = reducedClient()
    _ = bench.askFullAccuracy()
    bench.change { ledger in
      let refuses = ledger.refuseFullAccuracy(.init(userID: 1000))
      #expect(refuses)
    }
    #expect(bench.follow() == [declined])

    bench = reducedClient()
    _ = bench.askFullAccuracy()
    bench.write("lock everyone")
    #expect(bench.follow().contains(declined))

    bench = reducedClient()
    _ = bench.askFullAccuracy()
    bench.record(.of(.denied))
    #expect(bench.follow().contains(declined))

    bench = reducedClient()
    _ = bench.askFullAccuracy()
    bench.now = .noon.advanced(bySeconds: 599)
    #expect(bench.follow() == [])
    bench.now = .noon.advanced(bySeconds: 600)
    #expect(bench.follow() == [.withdrawFullAccuracy("map"), declined])
  }

  @Test func `temporary full accuracy ends if an operator refuses it or the authorization is withdrawn`() {
    for change: (inout DecisionLedger) -> Void in [
      { _ = $0.refuseFullAccuracy(.init(userID: 1000)) }, { _ = $0.record(.of(.denied)) },
      { $0.isSwitchedOff = true }, { _ = $0.reset(.init(userID: 1000)) },
    ] {
      let bench = reducedClient()
      bench.grantFullAccuracy()
      #expect(
        bench.askFullAccuracy() == [.answerFullAccuracy("map", .granted(duration: .seconds(600)))])
      bench.change(change)
      #expect(bench.follow().contains(.notify(.fullAccuracyEnded)))
    }
  }

  @Test func `temporary full accuracy outlives a reduced grant; a permanent full grant answers requests`() {
    var bench = reducedClient()
    _ = bench.askFullAccuracy()
    let reduced = Decision.of(.whenInUse, reduced: true)
    bench.record(reduced)
    #expect(bench.pending.count == 1)
    bench.grantFullAccuracy()
    #expect(bench.follow().contains(.answerFullAccuracy("map", .granted(duration: .seconds(600)))))
    bench.record(reduced)
    #expect(bench.follow() == [])

    bench = reducedClient()
    _ = bench.askFullAccuracy()
    bench.record(.of(.always))
    #expect(bench.pending.isEmpty)
    #expect(bench.follow().contains(.answerFullAccuracy("map", .granted(duration: nil))))
  }

  @Test func `temporary full accuracy is granted only for the pending purposes, and never to everyone`() {
    let bench = reducedClient()
    _ = bench.askFullAccuracy("map")
    bench.grantFullAccuracy()
    #expect(bench.follow() == [.answerFullAccuracy("map", .granted(duration: .seconds(600)))])
    #expect(bench.askFullAccuracy("advertising") == [])
    #expect(bench.pending.map(\.fullAccuracyPurposeKey) == ["advertising"])

    var ledger = DecisionLedger()
    let lease = FullAccuracyLease(
      selector: .everyone, created: .noon, validForSeconds: 60, grantedBy: 0)
    let number = ledger.record(lease)
    #expect(number == nil)
  }

  @Test func `full-accuracy requests beyond eight pending purposes are declined`() {
    let bench = reducedClient()
    for number in 0..<8 { #expect(bench.askFullAccuracy("\(number)") == []) }
    #expect(bench.askFullAccuracy("8") == [.answerFullAccuracy("8", .declined)])
  }

  @Test func `a released manager withdraws its full-accuracy request`() async throws {
    let folder = try ScratchFolder()
    let places = PolicyPaths(root: folder.path)
    let lines = EventRecorder<String>()
    do {
      _ = try places.store.update { $0.record(.of(.always, reduced: true)) }
      let policy = PolicyFiles(
        client: Self.client, places: places, now: { .noon }, report: { lines.record($0) })
      let answers = EventRecorder<LocationError?>()
      do {
        let manager = LocationManager(policy: policy, purpose: "Test")
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") {
          answers.record($0)
        }
        #expect(
          await lines.wait(for: 1).first?.contains("requests temporary full accuracy") == true)
      }
      #expect(await answers.wait(for: 1) == [.promptDeclined])
    }
    try await places.store.wait { $0.pending.isEmpty }
  }
}
