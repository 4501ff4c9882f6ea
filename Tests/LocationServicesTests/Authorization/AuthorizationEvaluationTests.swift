// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import SystemSupport
import Testing

@testable import LocationServices

@Suite("Evaluation of a client's authorization")
struct AuthorizationEvaluationTests {
  private static let pi = ClientIdentity(userID: 1000)
  private static let weather = ClientIdentity(userID: 1000, systemUnit: "weather.service")

  /// Evaluates rules in policy-file syntax, decisions and the switch.
  private func verdict(
    etc: String = "", image: String = "", _ decisions: [Decision] = [], off: Bool = false,
    on client: ClientIdentity = pi, asking request: AuthorizationRequest? = .whenInUse,
    at now: BootTimestamp = .noon
  ) -> AuthorizationVerdict {
    var rules = PolicyRules()
    func parse(_ text: String, _ file: String) -> [PolicyRule] {
      let parser = PolicyParser(allowsLocks: file == "etc") { _ in nil }
      let (parsed, problems) = parser.parse(Array(text.utf8), file: file)
      rules.problems += problems
      return parsed
    }
    rules.administrator = parse(etc, "etc")
    rules.image = parse(image, "image")
    var ledger = DecisionLedger()
    ledger.isSwitchedOff = off
    for decision in decisions { _ = ledger.record(decision) }
    return AuthorizationEvaluation(rules: rules, ledger: .success(ledger))
      .verdict(on: client, asking: request, at: now)
  }

  private func status(_ verdict: AuthorizationVerdict) -> AuthorizationStatus {
    verdict.authorization.status
  }

  @Test func `without a rule or decision, the authorization of a client is undetermined`() {
    #expect(
      verdict() == AuthorizationVerdict(authorization: .init(.notDetermined), origin: .undecided))
    #expect(verdict(asking: nil).origin == .undecided)
  }

  @Test func `a default rule applies only after a request and grants at most what was requested`() {
    #expect(status(verdict(etc: "allow everyone", asking: nil)) == .notDetermined)
    #expect(status(verdict(etc: "allow everyone")) == .authorizedWhenInUse)
    #expect(status(verdict(etc: "allow everyone", asking: .always)) == .authorizedAlways)
    let narrow = "allow everyone level=when-in-use accuracy=reduced"
    let verdict = verdict(etc: narrow, asking: .always)
    #expect(verdict.authorization == .init(.authorizedWhenInUse, accuracy: .reducedAccuracy))
    #expect("\(verdict.origin)" == "etc:1: \(narrow)")
    #expect(status(self.verdict(image: "deny everyone")) == .denied)
    let asked = self.verdict(etc: "ask everyone timeout=10m then=deny", image: "allow everyone")
    #expect(status(asked) == .notDetermined)
    #expect(asked.waiting == .init(timeoutSeconds: 600, thenDenies: true))
  }

  @Test(arguments: [
    ("allow everyone\ndeny uid=1000", AuthorizationStatus.denied),
    ("deny everyone\nallow uid=1000", .authorizedWhenInUse),
    ("allow uid=1000\ndeny uid=1000", .denied), ("deny uid=1000\nallow uid=1000", .denied),
    ("ask uid=1000\nallow uid=1000", .notDetermined), ("ask everyone\ndeny everyone", .denied),
    ("deny uid=1000\nallow unit=weather.service", .authorizedWhenInUse),
    ("allow unit=weather.service\ndeny uid=1000 unit=weather.service", .denied),
    ("lock everyone\nallow unit=weather.service", .authorizedWhenInUse),
    ("allow everyone\nlock uid=1000", .restricted), ("lock uid=1000\ndeny uid=1000", .restricted),
    ("deny uid=1001\nlock unit=other.service", .notDetermined),
  ])
  func `the most specific policy rule wins; at equal specificity the stricter rule wins`(
    rules: String, expected: AuthorizationStatus
  ) {
    #expect(status(verdict(etc: rules, on: Self.weather)) == expected)
  }

  @Test func `locks override the board-wide switch, which overrides decisions, which override defaults`() {
    let allow = [Decision.of(.always)]
    #expect(status(verdict(etc: "deny uid=1000", allow)) == .authorizedAlways)
    #expect(status(verdict(allow, asking: nil)) == .authorizedAlways)
    #expect(verdict(allow, off: true).origin == .switchedOff)
    let locked = verdict(etc: "lock everyone", image: "allow uid=1000", allow, off: true)
    #expect(status(locked) == .restricted)
    #expect("\(locked.origin)" == "etc:1: lock everyone")
    // Without the lock, the previous decision applies again.
    #expect(status(verdict(allow)) == .authorizedAlways)
  }

  @Test func `of several decisions for a client, the most specific one wins`() {
    let decisions = [
      Decision.of(.denied), .of(.always, .init(systemUnit: "weather.service")),
      .of(.whenInUse, .init(userID: 1000, systemUnit: "weather.service")),
    ]
    #expect(status(verdict(decisions, on: Self.weather)) == .authorizedWhenInUse)
    #expect(status(verdict(decisions)) == .denied)
    #expect(status(verdict(decisions, on: .init(userID: 5))) == .notDetermined)
  }

  @Test func `a temporary grant reports its remaining time; after its expiry a new request is needed`() {
    let grant = [Decision.of(.whenInUse, seconds: 120)]
    let running = verdict(grant, at: .noon.advanced(bySeconds: 119))
    #expect(status(running) == .authorizedWhenInUse)
    #expect(running.remainingSeconds == 1)
    #expect(verdict(grant, at: .noon.advanced(bySeconds: 120)).origin == .undecided)
  }

  @Test func `an unreadable policy or decision store restricts every client; the verdict says why`() {
    let broken = verdict(etc: "alow everyone", [.of(.always)])
    #expect(status(broken) == .restricted)
    #expect("\(broken.origin)".contains("etc:1: 'alow' is not a rule"))
    let error = DecisionStoreError.corrupt(path: "p", detail: "is damaged")
    let evaluation = AuthorizationEvaluation(rules: PolicyRules(), ledger: .failure(error))
    let verdict = evaluation.verdict(on: Self.pi, asking: nil, at: .noon)
    #expect(verdict == .init(authorization: .init(.restricted), origin: .brokenStore(error)))
  }
}
