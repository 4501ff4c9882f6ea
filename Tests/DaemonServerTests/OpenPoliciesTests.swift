// SPDX-License-Identifier: Apache-2.0

import LocationServices
import Testing

@testable import DaemonServer

@Suite("Policies of the connected clients") struct OpenPoliciesTests {
  private final class Policy: Sendable {}

  @Test func `a closed policy is no longer current, even after its client has reconnected`() {
    var policies = OpenPolicies<Int, Policy>()
    let (first, second) = (Policy(), Policy())
    #expect(!policies.isCurrent(first, of: 1))
    #expect(policies.close(1) == nil)
    let listening = PolicyListening {}
    policies.open(1, first, listening)
    #expect(policies.isCurrent(first, of: 1) && !policies.isCurrent(first, of: 2))
    #expect(policies.close(1) === listening)
    #expect(!policies.isCurrent(first, of: 1) && policies.policy(of: 1) == nil)
    policies.open(1, second, listening)
    #expect(!policies.isCurrent(first, of: 1) && policies.isCurrent(second, of: 1))
    #expect(policies.policy(of: 1) === second)
  }
}
