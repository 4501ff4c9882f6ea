// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

@Suite("Authorization of a process that is configured to use locations")
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

  @Test func `a rule 'ask everyone' does not apply to a configured process`() {
    let rule = "ask everyone timeout=10m then=deny"
    let base = AuthorizationVerdict(authorization: .init(.authorizedAlways), origin: .undecided)
    #expect(verdict(rule) == base)
    #expect(verdict("", image: rule) == base)
    // The skipped rule still overrides the image's rules.
    #expect(verdict(rule, image: "deny everyone") == base)
    #expect(verdict(rule, isConfigured: false).authorization.status == .notDetermined)
  }

  @Test(
    arguments: [
      ("deny everyone", .denied), ("lock everyone", .restricted),
      ("ask unit=fixcast.service", .notDetermined), ("ask uid=990", .notDetermined),
      ("ask everyone\ndeny unit=fixcast.service", .denied), ("alow everyone", .restricted),
      ("ask everyone\nallow uid=990 level=when-in-use", .authorizedWhenInUse),
    ] as [(String, AuthorizationStatus)])
  func `all rules except 'ask everyone' apply to a configured process`(rules: String, status: AuthorizationStatus) {
    #expect(verdict(rules).authorization.status == status)
  }

  @Test func `the board-wide switch and the decisions of operators apply to a configured process`() {
    #expect(verdict("ask everyone", off: true).origin == .switchedOff)
    let denied = Decision(
      selector: Self.daemon.evidence, level: .denied, created: .noon, grantedBy: nil)
    #expect(verdict("ask everyone", [denied]).authorization.status == .denied)
  }

  @Test func `the verdict on a configured process names the rule that locks the process`() throws {
    let root = try ScratchFolder()
    let file = "etc/fixcast/policy.d/50-board.conf"
    try root.write(file, "ask everyone timeout=10m then=deny\n")
    let places = PolicyPaths(root: root.path)
    let store = PolicyStore(places: places, now: { .noon }, report: { _ in })
    let free = PolicyFiles(configured: Self.daemon, store: store)
    #expect(free.lastVerdictIfAvailable?.authorization == Authorization(.authorizedAlways))
    #expect(free.lastVerdictIfAvailable?.origin == .undecided)
    #expect(free.verdict(asking: .always).authorization.status == .authorizedAlways)
    try root.write(file, "lock unit=fixcast.service\n")
    let locked = PolicyFiles(configured: Self.daemon, store: store)
    #expect(locked.lastVerdictIfAvailable?.authorization.status == .restricted)
    #expect(locked.lastVerdictIfAvailable?.origin.place?.line == 1)
  }
}
