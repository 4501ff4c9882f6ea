// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// Suites that need namespaces skip themselves, which must not go unseen where all are to run.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["CI"] == "true", "not a CI run"))
struct NamespacesPermittedTests {
  @Test("network namespaces are permitted in CI")
  func permitted() { #expect(Lab.isPermitted, Lab.needs) }
}
