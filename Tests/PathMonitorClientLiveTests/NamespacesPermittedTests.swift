// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// Ensures that suites that need namespaces are not silently skipped in CI.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CI"] == "true", "not a CI run"))
struct NamespacesPermittedTests {
  @Test func `network namespaces are permitted in CI`() {
    #expect(NetworkFixture.isPermitted, NetworkFixture.skipReason)
  }
}
