// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Positioning
import SystemSupport

/// Tests one policy file that libFuzzer has generated.
///
/// - Parameters:
///   - data: The bytes; may be `nil` if `count` is 0.
///   - count: The number of bytes.
/// - Returns: Always 0, so that libFuzzer may add the input to its corpus.
func testOnePolicy(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = data.map { Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
  for isAdministrators in [true, false] {
    let rules = PolicyRules(reading: bytes, as: "f", isAdministrators: isAdministrators)
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    for place in rules.problems.map(\.place) + (rules.administrator + rules.image).map(\.place) {
      check(place.file == "f" && (1...lines).contains(place.line ?? 0))
    }
    check(rules.problems.allSatisfy { !$0.message.isEmpty })
    check(isAdministrators ? rules.image.isEmpty : rules.administrator.isEmpty)
    checkInvalidRulesRestrict(rules)
    if rules.problems.isEmpty { checkSummaries(rules, isAdministrators) }
  }
  return 0
}

/// Checks that a file with a problem restricts all clients, regardless of decisions.
private func checkInvalidRulesRestrict(_ rules: PolicyRules) {
  guard !rules.problems.isEmpty else { return }
  var ledger = DecisionLedger()
  let now = BootTimestamp(utcSeconds: 1_795_262_400, bootSeconds: 500, boot: nil)
  _ = ledger.record(
    Decision(selector: ClientSelector(userID: 1000), level: .always, created: now, grantedBy: 0))
  let evaluation = AuthorizationEvaluation(rules: rules, ledger: .success(ledger))
  for client in [ClientIdentity(userID: 1000), ClientIdentity(userID: 0, systemUnit: "a.service")] {
    for request in [nil, AuthorizationRequest.whenInUse, .always] {
      let verdict = evaluation.verdict(on: client, asking: request, at: now)
      check(verdict.authorization.status == .restricted)
    }
  }
}

/// Checks that the summary of each rule is parsed as the same rule.
private func checkSummaries(_ rules: PolicyRules, _ isAdministrators: Bool) {
  for rule in rules.administrator + rules.image {
    let reparsedRules = PolicyRules(
      reading: Array(rule.summary.utf8), as: "f", isAdministrators: isAdministrators)
    check(reparsedRules.problems.isEmpty)
    let reparsed = (reparsedRules.administrator + reparsedRules.image).first
    check(reparsed?.verb == rule.verb && reparsed?.selector == rule.selector)
  }
}
