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
  private func reducedClient() -> SessionFixture {
    SessionFixture(etc: "ask everyone timeout=10m", [.of(.always, reduced: true)])
  }

  @Test func `a full-accuracy request waits for an operator, is granted for the remaining time, and expires`() throws {
    let fixture = reducedClient()
    #expect(fixture.askFullAccuracy() == [] && fixture.askFullAccuracy() == [])
    let pending = try #require(fixture.pending.first)
    #expect(fixture.pending.count == 1)
    #expect(pending.answer(\.words) == ["fixcast", "auth", "allow", "uid=1000", "--full", "--for", "10m"])
    #expect(pending.answer(\.words, for: "2h").suffix(3) == ["--full", "--for", "2h"])
    #expect(fixture.follow() == [])
    fixture.grantFullAccuracy()
    #expect(fixture.pending.isEmpty)
    fixture.now = .noon.advanced(bySeconds: 100)
    #expect(fixture.follow() == [.answerFullAccuracy("map", .granted(duration: .seconds(500)))])
    #expect(fixture.session.secondsToDeadline(fixture.evaluation, at: fixture.now) == 500)
    fixture.now = .noon.advanced(bySeconds: 599)
    #expect(fixture.follow() == [])
    fixture.now = .noon.advanced(bySeconds: 600)
    #expect(fixture.follow() == [.notify(.fullAccuracyEnded)])
    #expect(fixture.follow() == [])
    // A new request waits again.
    #expect(fixture.askFullAccuracy() == [] && fixture.pending.count == 1)
  }

  @Test func `a rule with full= grants full accuracy for each request, until the rule changes`() {
    func client() -> SessionFixture {
      let fixture = SessionFixture(etc: "allow everyone accuracy=reduced full=10m")
      _ = fixture.ask(.always)
      return fixture
    }
    let granted: PolicySession.Effect =
      .answerFullAccuracy("map", .granted(duration: .seconds(600)))
    var fixture = client()
    #expect(fixture.askFullAccuracy() == [granted])
    #expect(fixture.session.secondsToDeadline(fixture.evaluation, at: fixture.now) == 600)
    fixture.now = .noon.advanced(bySeconds: 599)
    #expect(fixture.follow() == [])
    fixture.now = .noon.advanced(bySeconds: 600)
    #expect(fixture.follow() == [.notify(.fullAccuracyEnded)])
    #expect(fixture.askFullAccuracy() == [granted])
    #expect(fixture.pending.isEmpty)

    fixture = client()
    _ = fixture.askFullAccuracy()
    fixture.write("allow everyone accuracy=reduced")
    #expect(fixture.follow() == [.notify(.fullAccuracyEnded)])
    // A decision for reduced accuracy overrides the full= of a rule.
    fixture = client()
    fixture.record(.of(.always, reduced: true))
    #expect(fixture.askFullAccuracy() == [])
    #expect(fixture.pending.count == 1)
  }

  @Test func `a full-accuracy request is declined by an operator, a lock, a denial, or a timeout`() {
    let declined: PolicySession.Effect = .answerFullAccuracy("map", .declined)
    var fixture = reducedClient()
    _ = fixture.askFullAccuracy()
    fixture.change { ledger in
      let refuses = ledger.refuseFullAccuracy(.init(userID: 1000))
      #expect(refuses)
    }
    #expect(fixture.follow() == [declined])

    fixture = reducedClient()
    _ = fixture.askFullAccuracy()
    fixture.write("lock everyone")
    #expect(fixture.follow().contains(declined))

    fixture = reducedClient()
    _ = fixture.askFullAccuracy()
    fixture.record(.of(.denied))
    #expect(fixture.follow().contains(declined))

    fixture = reducedClient()
    _ = fixture.askFullAccuracy()
    fixture.now = .noon.advanced(bySeconds: 599)
    #expect(fixture.follow() == [])
    fixture.now = .noon.advanced(bySeconds: 600)
    #expect(fixture.follow() == [.withdrawFullAccuracy("map"), declined])
  }

  @Test func `temporary full accuracy ends if an operator refuses it or the authorization is withdrawn`() {
    for change: (inout DecisionLedger) -> Void in [
      { _ = $0.refuseFullAccuracy(.init(userID: 1000)) }, { _ = $0.record(.of(.denied)) },
      { $0.isSwitchedOff = true }, { _ = $0.reset(.init(userID: 1000)) },
    ] {
      let fixture = reducedClient()
      fixture.grantFullAccuracy()
      #expect(fixture.askFullAccuracy() == [.answerFullAccuracy("map", .granted(duration: .seconds(600)))])
      fixture.change(change)
      #expect(fixture.follow().contains(.notify(.fullAccuracyEnded)))
    }
  }

  @Test func `temporary full accuracy outlives a reduced grant; a permanent full grant answers requests`() {
    var fixture = reducedClient()
    _ = fixture.askFullAccuracy()
    let reduced = Decision.of(.whenInUse, reduced: true)
    fixture.record(reduced)
    #expect(fixture.pending.count == 1)
    fixture.grantFullAccuracy()
    #expect(fixture.follow().contains(.answerFullAccuracy("map", .granted(duration: .seconds(600)))))
    fixture.record(reduced)
    #expect(fixture.follow() == [])

    fixture = reducedClient()
    _ = fixture.askFullAccuracy()
    fixture.record(.of(.always))
    #expect(fixture.pending.isEmpty)
    #expect(fixture.follow().contains(.answerFullAccuracy("map", .granted(duration: nil))))
  }

  @Test func `temporary full accuracy is granted only for the pending purposes, and never to everyone`() {
    let fixture = reducedClient()
    _ = fixture.askFullAccuracy("map")
    fixture.grantFullAccuracy()
    #expect(fixture.follow() == [.answerFullAccuracy("map", .granted(duration: .seconds(600)))])
    #expect(fixture.askFullAccuracy("advertising") == [])
    #expect(fixture.pending.map(\.fullAccuracyPurposeKey) == ["advertising"])

    var ledger = DecisionLedger()
    let lease = FullAccuracyLease(selector: .everyone, created: .noon, validForSeconds: 60, grantedBy: 0)
    let number = ledger.record(lease)
    #expect(number == nil)
  }

  @Test func `full-accuracy requests beyond eight pending purposes are declined`() {
    let fixture = reducedClient()
    for number in 0..<8 { #expect(fixture.askFullAccuracy("\(number)") == []) }
    #expect(fixture.askFullAccuracy("8") == [.answerFullAccuracy("8", .declined)])
  }

  @Test func `a released manager withdraws its full-accuracy request`() async throws {
    let folder = try ScratchFolder()
    let places = PolicyPaths(root: folder.path)
    let lines = EventRecorder<String>()
    do {
      _ = try places.store.update { $0.record(.of(.always, reduced: true)) }
      let policy = PolicyFiles(client: Self.client, places: places, now: { .noon }, report: { lines.record($0) })
      let answers = EventRecorder<LocationError?>()
      do {
        let manager = LocationManager(policy: policy, purpose: "Test")
        manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "map") {
          answers.record($0)
        }
        #expect(await lines.wait(for: 1).first?.contains("requests temporary full accuracy") == true)
      }
      #expect(await answers.wait(for: 1) == [.promptDeclined])
    }
    try await places.store.wait { $0.pending.isEmpty }
  }
}
