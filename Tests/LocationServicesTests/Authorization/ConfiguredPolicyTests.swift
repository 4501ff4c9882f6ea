// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

@Suite("A service that was configured to use locations")
struct ConfiguredPolicyTests {
  private static let daemon = ClientIdentity(userID: 990, systemUnit: "fixcast.service")

  private func verdict(
    _ text: String, image: String = "", _ decisions: [Decision] = [], off: Bool = false,
    isConfigured: Bool = true
  ) -> AuthorizationVerdict {
    var rules = PolicyRules(reading: Array(text.utf8), as: "etc")
    rules.image =
      PolicyRules(reading: Array(image.utf8), as: "image", isAdministrators: false).image
    var ledger = DecisionLedger()
    ledger.isSwitchedOff = off
    for decision in decisions { _ = ledger.record(decision) }
    var evaluation = AuthorizationEvaluation(
      rules: rules, ledger: .success(ledger), base: .authorizedAlways)
    evaluation.isConfigured = isConfigured
    return evaluation.verdict(on: Self.daemon, asking: .always, at: .noon)
  }

  @Test("a rule that asks about everyone is answered by that, wherever it stands")
  func everyone() {
    let rule = "ask everyone timeout=10m then=deny"
    let unspoken = AuthorizationVerdict(authorization: .init(.authorizedAlways), origin: .nobody)
    #expect(verdict(rule) == unspoken)
    #expect(verdict("", image: rule) == unspoken)
    // It stands before what an image says, answered or not.
    #expect(verdict(rule, image: "deny everyone") == unspoken)
    #expect(verdict(rule, isConfigured: false).authorization.status == .notDetermined)
  }

  @Test(
    "every other word goes for it too",
    arguments: [
      ("deny everyone", .denied), ("lock everyone", .restricted),
      ("ask unit=fixcast.service", .notDetermined), ("ask uid=990", .notDetermined),
      ("ask everyone\ndeny unit=fixcast.service", .denied), ("alow everyone", .restricted),
      ("ask everyone\nallow uid=990 level=when-in-use", .authorizedWhenInUse),
    ] as [(String, AuthorizationStatus)])
  func others(rules: String, status: AuthorizationStatus) {
    #expect(verdict(rules).authorization.status == status)
  }

  @Test("so do the switch for the whole board and an operator's answer")
  func answers() {
    #expect(verdict("ask everyone", off: true).origin == .switchedOff)
    let denied = Decision(
      selector: Self.daemon.evidence, level: .denied, created: .noon, grantedBy: nil)
    #expect(verdict("ask everyone", [denied]).authorization.status == .denied)
  }

  @Test("what holds is told with the word that decided, and read again from the same rules")
  func standing() throws {
    let root = try ScratchFolder()
    let file = "etc/fixcast/policy.d/50-board.conf"
    try root.write(file, "ask everyone timeout=10m then=deny\n")
    let places = PolicyPaths(root: root.path)
    let free = PolicyFiles(configured: Self.daemon, places: places)
    #expect(free.standing?.authorization == Authorization(.authorizedAlways))
    #expect(free.standing?.origin == .nobody)
    #expect(free.verdict(asking: .always).authorization.status == .authorizedAlways)
    try root.write(file, "lock unit=fixcast.service\n")
    let locked = PolicyFiles(configured: Self.daemon, places: places)
    #expect(locked.standing?.authorization.status == .restricted)
    #expect(locked.standing?.origin.place?.line == 1)
  }
}
