// SPDX-License-Identifier: Apache-2.0

internal import IssueReporting

/// Fails the running test with the name of an unimplemented endpoint.
///
/// Outside of tests, this function writes a warning to standard error.
func failTest(_ endpoint: String) {
  reportIssue("Unimplemented: \(endpoint) was used but is not implemented by this test")
}
