// SPDX-License-Identifier: Apache-2.0

internal import IssueReporting

/// Fails the running test by the name of what was used.
///
/// Outside of tests it writes a warning to standard error.
func failTest(_ endpoint: String) {
  reportIssue("Unimplemented: \(endpoint) was used, which this test has not provided")
}
