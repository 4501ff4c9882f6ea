// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DaemonServer

@Suite("The policies of those who are connected") struct OpenPoliciesTests {
  private final class Policy: Sendable {}

  @Test("what one says that was closed counts no more, though its client has come again")
  func stale() {
    var policies = OpenPolicies<Int, Policy>()
    let (first, second) = (Policy(), Policy())
    #expect(!policies.isCurrent(first, of: 1))
    #expect(policies.close(1) == nil)
    let listening = Task {}
    policies.open(1, first, listening)
    #expect(policies.isCurrent(first, of: 1) && !policies.isCurrent(first, of: 2))
    #expect(policies.close(1) == listening)
    #expect(!policies.isCurrent(first, of: 1) && policies.policy(of: 1) == nil)
    policies.open(1, second, listening)
    #expect(!policies.isCurrent(first, of: 1) && policies.isCurrent(second, of: 1))
    #expect(policies.policy(of: 1) === second)
  }
}
