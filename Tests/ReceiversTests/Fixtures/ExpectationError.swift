// SPDX-License-Identifier: Apache-2.0

/// A test found something that no expectation can express.
struct ExpectationError: Error {
  var message: String
  init(_ message: String) { self.message = message }
}
