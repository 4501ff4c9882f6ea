// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Positioning
import SystemSupport

/// The function that libFuzzer calls where policy files are read.
///
/// - Parameters:
///   - data: The bytes; none where `count` is 0.
///   - count: How many.
/// - Returns: 0, always: every input is one to learn from.
@c
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
    grantsNothingBroken(rules)
    if rules.problems.isEmpty { readsItsOwnWords(rules, isAdministrators) }
  }
  return 0
}

/// A file with anything in it that is not understood restricts everybody, whatever was answered.
private func grantsNothingBroken(_ rules: PolicyRules) {
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

/// What a rule is shown as says the same again.
private func readsItsOwnWords(_ rules: PolicyRules, _ isAdministrators: Bool) {
  for rule in rules.administrator + rules.image {
    let again = PolicyRules(
      reading: Array(rule.summary.utf8), as: "f", isAdministrators: isAdministrators)
    check(again.problems.isEmpty)
    let same = (again.administrator + again.image).first
    check(same?.verb == rule.verb && same?.selector == rule.selector)
  }
}
