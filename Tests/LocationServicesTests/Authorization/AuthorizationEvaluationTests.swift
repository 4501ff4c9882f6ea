// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import SystemSupport
import Testing

@testable import LocationServices

@Suite("What holds for a client, and why")
struct AuthorizationEvaluationTests {
  private static let pi = ClientIdentity(userID: 1000)
  private static let weather = ClientIdentity(userID: 1000, systemUnit: "weather.service")

  /// Rules and answers as they are written.
  private func verdict(
    etc: String = "", image: String = "", _ decisions: [Decision] = [], off: Bool = false,
    on client: ClientIdentity = pi, asking request: AuthorizationRequest? = .whenInUse,
    at now: BoardTime = .noon
  ) -> AuthorizationVerdict {
    var rules = PolicyRules()
    func parse(_ text: String, _ file: String) -> [PolicyRule] {
      let parser = PolicyParser(allowsLocks: file == "etc") { _ in nil }
      let (found, problems) = parser.parse(Array(text.utf8), file: file)
      rules.problems += problems
      return found
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

  @Test("with no word nothing is determined, asked for or not")
  func nothing() {
    #expect(
      verdict() == AuthorizationVerdict(authorization: .init(.notDetermined), origin: .nobody))
    #expect(verdict(asking: nil).origin == .nobody)
  }

  @Test("a default counts once it is asked for, and gives at most what was asked for")
  func defaults() {
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

  @Test(
    "the most precise rule wins, and at equal precision the stricter",
    arguments: [
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
  func precision(rules: String, expected: AuthorizationStatus) {
    #expect(status(verdict(etc: rules, on: Self.weather)) == expected)
  }

  @Test("answers stand above defaults, the switch above answers, a lock above all")
  func layers() {
    let allow = [Decision.of(.always)]
    #expect(status(verdict(etc: "deny uid=1000", allow)) == .authorizedAlways)
    #expect(status(verdict(allow, asking: nil)) == .authorizedAlways)
    #expect(verdict(allow, off: true).origin == .switchedOff)
    let locked = verdict(etc: "lock everyone", image: "allow uid=1000", allow, off: true)
    #expect(status(locked) == .restricted)
    #expect("\(locked.origin)" == "etc:1: lock everyone")
    // Its lock gone, the answer of before holds again.
    #expect(status(verdict(allow)) == .authorizedAlways)
  }

  @Test("the more precise answer wins")
  func answers() {
    let decisions = [
      Decision.of(.denied), .of(.always, .init(systemUnit: "weather.service")),
      .of(.whenInUse, .init(userID: 1000, systemUnit: "weather.service")),
    ]
    #expect(status(verdict(decisions, on: Self.weather)) == .authorizedWhenInUse)
    #expect(status(verdict(decisions)) == .denied)
    #expect(status(verdict(decisions, on: .init(userID: 5))) == .notDetermined)
  }

  @Test("a grant runs out, and says when; the program then has to ask again")
  func expiry() {
    let grant = [Decision.of(.whenInUse, seconds: 120)]
    let running = verdict(grant, at: .noon.advanced(bySeconds: 119))
    #expect(status(running) == .authorizedWhenInUse)
    #expect(running.remainingSeconds == 1)
    #expect(verdict(grant, at: .noon.advanced(bySeconds: 120)).origin == .nobody)
  }

  @Test("what a program calls itself narrows and never widens")
  func ownWord() {
    let map = ClientIdentity(userID: 1000, applicationID: "map")
    let name = ClientSelector(applicationID: "map")
    let named = ClientSelector(userID: 1000, applicationID: "map")
    #expect(verdict(etc: "allow app=map", on: map).origin == .nobody)
    #expect(verdict(etc: "allow uid=1000 app=map", on: map).origin == .nobody)
    #expect(verdict([.of(.always, named)], on: map).origin == .nobody)
    #expect(status(verdict(etc: "deny everyone\nallow uid=1000 app=map", on: map)) == .denied)
    #expect(status(verdict(etc: "lock everyone\nallow uid=1000 app=map", on: map)) == .restricted)
    #expect(status(verdict([.of(.denied), .of(.always, named)], on: map)) == .denied)
    #expect(status(verdict([.of(.always), .of(.denied, name)], on: map)) == .denied)
    #expect(status(verdict([.of(.denied, name)], on: map)) == .denied)
    #expect(status(verdict(etc: "lock app=map", [.of(.always)], on: map)) == .restricted)
    let reduced = verdict(etc: "allow everyone\nallow app=map accuracy=reduced", on: map)
    #expect(reduced.authorization == .init(.authorizedWhenInUse, accuracy: .reducedAccuracy))
    #expect(reduced.narrowedBy?.description == "etc:2: allow app=map accuracy=reduced")
    #expect(status(verdict(etc: "allow everyone\nlock app=map")) == .authorizedWhenInUse)
  }

  @Test("a rule about an app's name narrows an answer, asked for or not, and ends none")
  func ownWordUnasked() {
    let map = ClientIdentity(userID: 1000, applicationID: "map")
    let requests: [AuthorizationRequest?] = [nil, .whenInUse, .always]
    for (rule, expected): (String, Authorization) in [
      ("allow app=map accuracy=reduced", .init(.authorizedAlways, accuracy: .reducedAccuracy)),
      ("allow app=map level=when-in-use", .init(.authorizedWhenInUse)),
      ("allow app=map", .init(.authorizedAlways)), ("deny app=map", .init(.denied)),
      ("lock app=map", .init(.restricted)),
    ] {
      for request in requests {
        let held = verdict(etc: rule, [.of(.always)], on: map, asking: request)
        #expect(held.authorization == expected, "\(rule), \(String(describing: request))")
      }
    }
    // A default that nobody has asked by gives nothing, whatever the name.
    let unasked = verdict(etc: "allow everyone\ndeny app=map", on: map, asking: nil)
    #expect(status(unasked) == .notDetermined)
  }

  @Test("an operator who is to be asked about an app's name has answered with its user's answer")
  func ownWordAsked() {
    let map = ClientIdentity(userID: 1000, applicationID: "map")
    // A default of its user has to wait for the operator, and so does who has a shell.
    #expect(status(verdict(etc: "allow uid=1000\nask app=map", on: map)) == .notDetermined)
    let answered = verdict(etc: "ask app=map", [.of(.whenInUse)], on: map)
    #expect(status(answered) == .authorizedWhenInUse && answered.narrowedBy == nil)
    #expect(status(verdict(etc: "ask app=map", [.of(.denied)], on: map)) == .denied)
  }

  @Test("what cannot be read restricts everybody, and says why")
  func failsClosed() {
    let broken = verdict(etc: "alow everyone", [.of(.always)])
    #expect(status(broken) == .restricted)
    #expect("\(broken.origin)".contains("etc:1: 'alow' is no rule"))
    let error = DecisionStoreError.corrupt(path: "p", detail: "is damaged")
    let evaluation = AuthorizationEvaluation(rules: PolicyRules(), ledger: .failure(error))
    let verdict = evaluation.verdict(on: Self.pi, asking: nil, at: .noon)
    #expect(verdict == .init(authorization: .init(.restricted), origin: .brokenStore(error)))
  }

  @Test("whatever is said, a name never gives more than the same client has without it")
  func neverWidens() {
    var random = SeededGenerator(seed: 11)
    let rank: [AuthorizationStatus] = [
      .restricted, .denied, .notDetermined, .authorizedWhenInUse, .authorizedAlways,
    ]
    let selectors = ["everyone", "uid=1000", "unit=weather.service", "app=map", "uid=1000 app=map"]
    let verbs = ["lock", "allow", "deny", "ask"]
    for _ in 0..<5000 {
      func rules(_ verbs: [String]) -> String {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
          "\(verbs.randomElement(using: &random) ?? "") \(selectors.randomElement(using: &random) ?? "")"
        }.joined(separator: "\n")
      }
      let (etc, image) = (rules(verbs), rules(["allow", "deny", "ask"]))
      let levels: [Decision.Level] = [.denied, .whenInUse, .always]
      let decisions = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        Decision.of(
          levels.randomElement(using: &random) ?? .denied,
          Bool.random(using: &random)
            ? .init(userID: 1000) : .init(userID: 1000, applicationID: "map"))
      }
      var client = Self.weather
      let without = verdict(etc: etc, image: image, decisions, on: client, asking: .always)
      client.applicationID = "map"
      let with = verdict(etc: etc, image: image, decisions, on: client, asking: .always)
      let ranks = [with, without].compactMap { rank.firstIndex(of: status($0)) }
      #expect(ranks.count == 2 && ranks[0] <= ranks[1], "\(etc) | \(image) | \(decisions)")
    }
  }
}
